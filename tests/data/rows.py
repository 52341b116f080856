"""Rows of the schema of MMInstruction/VL-RewardBench, written for these tests."""

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
