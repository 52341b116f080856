#!/usr/bin/env bash
# Judge the drawn scenes with a real model, the tiny critic: 300 items, 5 votes each, on the CPU and without a
# network. Then put its scores beside those of judges that do not look, and write a report to open in a browser.
set -euo pipefail
out=${1:-results/demo}
rm -rf "$out"
mkdir -p "$out"
export HF_HUB_OFFLINE=1

model="pretrained=examples/tiny_critic/model,device=cpu,device_map=cpu"
echo "\$ lmms-eval --model llava_hf --model_args $model --tasks vlrb_scenes@llava_critic_pairwise --log_samples --output_path $out"
lmms-eval --model llava_hf --model_args "$model" --tasks vlrb_scenes@llava_critic_pairwise --log_samples \
  --output_path "$out" >"$out/judging.log" 2>&1
# lmms-eval exits 0 after an error, too: only the log of votes tells.
if ! find "$out" -name '*_samples_*.jsonl' | grep -q .; then
  tail -n 20 "$out/judging.log" >&2
  exit 1
fi

echo
echo "\$ vlrb table tiny_critic=$out --rule strict --at-k --format text"
vlrb table "tiny_critic=$out" --rule strict --at-k --format text
echo
echo "\$ vlrb report tiny_critic=$out --output $out/report.html"
vlrb report "tiny_critic=$out" --output "$out/report.html"
