"""Rows of the schema of MMInstruction/VL-RewardBench, and of other hubs', written for these tests."""

import json

from PIL import Image

IDS = ["hallucination_pair-1", "RLHF-V-2", "RLAIF-V-3", "wildvision-battle-4", "mathverse_5", "mmmu_pro_test_Art_6"]


def rows(count: int = 6) -> list[dict]:
    return [
        {
            "id": IDS[i % 6] if i < 6 else f"{IDS[i % 6]}{i}",
            "query": f"What is shown in picture {i}?",
            "response": [f"Picture {i} shows a dog.", f"Picture {i} shows a black cat."],
            "human_ranking": [0, 1] if i % 2 == 0 else [1, 0],
            "models": ["m1", "m2"],
            "judge": "human",
            "rationale": "",
            "query_source": "test",
            "meta": "{}",
            "human_error_analysis": ["existence", "attribute"] if i % 3 == 0 else [],
            "ground_truth": "",
        }
        for i in range(count)
    ]


def mllm_judge_files(root) -> None:
    """Write the files of shuaishuaicdp/MLLM-Judge, in small: rows, and images elsewhere in the data set."""
    answers = [{"name": f"model{i}", "answer": f"The picture shows {i} dogs."} for i in range(1, 5)]
    numbered = {f"answer{i}": answer for i, answer in enumerate(answers, 1)}
    files = {
        "score": [{"answer": answers[i % 4], "human": [4, "4", 2, "1", 5, 3][i]} for i in range(6)],
        "pair": [{**numbered, "human": "ABCBCA"[i]} for i in range(6)],
        "batch": [{**numbered, "human": ["CABD", "ABCD", "DCBA", "BADC", "ACBD", "DABC"][i]} for i in range(6)],
    }
    (root / "Benchmark").mkdir(parents=True)
    (root / "image").mkdir()
    for i in range(6):
        Image.new("RGB", (12 + i, 8)).save(root / "image" / f"{i}.jpg")
    for name, data in files.items():
        lines = [
            {"image_path": f"image/{i}.jpg", "original_dataset": ("coco", "mm-vet")[i % 2], "instruction": f"Count the dogs of picture {i}.", **row}
            for i, row in enumerate(data)
        ]  # fmt: skip
        (root / "Benchmark" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
