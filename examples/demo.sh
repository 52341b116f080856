#!/usr/bin/env bash
# Judge the drawn scenes with three judges that need no model, then score their votes from the logs.
# 300 items, 5 votes each: a judge that is right in four votes of five, one that always names the first
# response, and a coin. Takes about a minute and no network.
set -euo pipefail
out=${1:-results/demo}
rm -rf "$out"
mkdir -p "$out"
export HF_HUB_OFFLINE=1

judge() { # name, arguments of vlrb_baseline
  echo "\$ lmms-eval --model vlrb_baseline --model_args $2 --tasks vlrb_scenes --log_samples --output_path $out/$1"
  lmms-eval --model vlrb_baseline --model_args "$2" --tasks vlrb_scenes --log_samples --output_path "$out/$1" \
    >"$out/$1.log" 2>&1
  # lmms-eval exits 0 after an error, too: only the log of votes tells.
  if ! find "$out/$1" -name '*_samples_*.jsonl' 2>/dev/null | grep -q .; then
    tail -n 20 "$out/$1.log" >&2
    exit 1
  fi
}

judge four_of_five "policy=oracle,accuracy=0.8,unparsed_rate=0.02"
judge always_first "policy=first"
judge coin "policy=random"

for name in four_of_five always_first coin; do
  echo
  echo "\$ vlrb score $out/$name"
  vlrb score "$out/$name"
done
