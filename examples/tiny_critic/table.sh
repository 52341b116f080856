#!/usr/bin/env bash
# What training on judgments does, in small: the drawn scenes judged by the model as it was before critic data (base),
# by critics trained on scores alone and on comparisons alone, and by the critic trained on both; the last one also
# shown blank pictures. It needs what train.py left, and trains what is missing:
#   python examples/tiny_critic/train.py --output tiny_critic
#   bash examples/tiny_critic/table.sh tiny_critic
set -euo pipefail
run=${1:-tiny_critic}
out=${2:-results/tiny_critic}
here=$(dirname "$0")
export HF_HUB_OFFLINE=1
mkdir -p "$out"

for variant in pairwise pointwise; do
  [ -d "$run/$variant" ] || python "$here/train.py" --output "$run" --start "$run/relate" --stages "$variant"
done

judge() { # folder for the log, stage, task, folder of the task
  [ -d "$out/$1" ] || lmms-eval --model llava_hf --model_args "pretrained=$run/$2,device=cpu,device_map=cpu" \
    --include_path "${4:-$here}" --tasks "$3" --log_samples --output_path "$out/$1" >"$out/${1//\//_}.log" 2>&1
  # lmms-eval exits 0 after an error, too: only the log of votes tells.
  find "$out/$1" -name '*_samples_*.jsonl' 2>/dev/null | grep -q . || { tail -n 20 "$out/${1//\//_}.log" >&2; exit 1; }
}

by_scores() { # folder, stage: each response is scored by itself, and the higher score is the choice
  python "$here/by_scores.py" ask "$out/$1"
  judge "$1/scores" "$2" vlrb_scenes_responses "$out/$1"
  python "$here/by_scores.py" pair "$out/$1"
}

judge base relate vlrb_scenes@llava_critic_pairwise
by_scores pointwise pointwise
judge pairwise pairwise vlrb_scenes@llava_critic_pairwise
judge both judge vlrb_scenes@llava_critic_pairwise
by_scores both_by_scores judge
judge blank judge vlrb_scenes_blank
judge both_pearson judge vlrb_scenes_pointwise
judge pointwise_pearson pointwise vlrb_scenes_pointwise

vlrb table base="$out/base" "pointwise critic=$out/pointwise/pairs" "pairwise critic=$out/pairwise" "both=$out/both" \
  "both, by scores=$out/both_by_scores/pairs" "both, blank=$out/blank" --rule strict --at-k --no-intervals --no-controls
echo
python "$here/held_out.py" "$out/both"
echo
vlrb table both="$out/both_pearson" "pointwise critic=$out/pointwise_pearson"
