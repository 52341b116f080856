"""Texts of judges and what they say. The shared sample is read by tests/conformance; these are our own."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.parsing import parse_official, parse_verdict

F, S, T, U = "first", "second", "tie", "unparsed"

CASES = [
    ("Overall Judgment: Answer 2 is, in my opinion, better.", S),
    ("Overall Judgment: Answer 1 is much better than Answer 2 because it names the colour.", F),
    ("Overall Judgment: While Answer 1 is better in clarity, Answer 2 is better overall.", S),
    ("Overall Judgment: Although Answer 1 is more detailed, Answer 2 is more accurate and therefore better.", S),
    ("Overall Judgment: Both answers are equally good in clarity, but Answer 2 is better.", S),
    ("Overall Judgment: Answer 2, which mentions the hat, is better.", S),
    ("Overall Judgment: Answer 1, unlike Answer 2, is better.", F),
    ("Overall Judgment: Compared to Answer 1, Answer 2 provides more detail and is better overall.", S),
    ("Overall Judgment: the better answer is Answer 2.", S),
    ("Overall judgment: I prefer Answer 2 over Answer 1.", S),
    ("Overall judgment: I would choose Answer 1.", F),
    ("In conclusion, Answer 1 outperforms Answer 2.", F),
    ("In conclusion, Answer 1 is outperformed by Answer 2.", S),
    ("Final verdict: It's a tie.", T),
    ("Overall Judgment: There is no clear winner.", T),
    ("Overall Judgment: Neither response is significantly better than the other.", T),
    ("Overall Judgment: Answer 1 is as good as Answer 2.", T),
    ("Overall Judgment: Answer 1 is not as good as Answer 2.", S),
    ("Overall Judgment: Answer 1 isn't as accurate as Answer 2.", S),
    ("Overall Judgment: Answer 1 isn't better.", U),
    ("Overall Judgment: I don't think Answer 1 is better.", U),
    ("Overall Judgment: It would be wrong to say Answer 1 is better.", U),
    ("Overall Judgment: There is no doubt that Answer 2 is better.", S),
    ("Overall Judgment: Answer 1 is not only more accurate but also better.", F),
    ("Overall Judgment: Answer 2, not Answer 1, is better.", S),
    ("Overall Judgment: Answer 1 would be better if it mentioned the hat.", U),
    ("Overall Judgment: If Answer 1 had mentioned the hat, it would be better.", U),
    ("Overall Judgment: Answer 2 would be the better choice.", S),
    ("Overall Judgment: If I had to choose, Answer 2 is better.", S),
    ("Is Answer 1 better? Or is Answer 2 better?", U),
    ("Which answer is better? Overall Judgment: Answer 1 is better.", F),
    ('Overall Judgment: "Answer 2 is better."', S),
    ('The response says "Answer 1 is better".', U),
    ("Answer 1 or Answer 2 is better.", U),
    ("Overall Judgment: Answer X is better.", U),
    ("Overall Judgment: [Answer 2] is better.", S),
    ("Overall Judgment: (2)", S),
    ("**Overall Judgment**\nAnswer 1", F),
    ("### Overall Judgment\n**Answer 2**\n", S),
    ("Overall Judgment: Answer 1 is", U),
    ("Overall Judgment: Answer", U),
    ("Overall Judgment:", U),
    ("Winner: B", S),
    ("Winner: Answer A", F),
    ("The winner is Answer 2.", S),
    ("Answer 2 wins.", S),
    ("Better answer: 2", S),
    ("Preferred response: Response A", F),
    ("Answer: B", S),
    ("The answer is 2.", S),
    ("(B)", S),
    ("B.", S),
    ("**B**", S),
    ("Option A", F),
    ("1. Accuracy: Answer 1 is better.\n2. Completeness: Answer 1 is better.\n3. Clarity: both equal.", U),
    ("#### Accuracy\n\nAnswer 1 is better here.\n\n#### Clarity\n\nAnswer 2 is better.\n", U),
    ("1. Accuracy: Answer 1 is better here.\n2. Clarity: Answer 2 is better here.\n\nAnswer 2 is better.", S),
    ("5. Overall: Answer 2 is better", S),
    ("Overall Judgment: Answer 2 is better.\n\n1. Accuracy: Answer 1 is better.", S),
    ("Overall Judgment: Answer 1 is worse.", S),
    ("Overall Judgment: Answer 2 is inferior to Answer 1.", F),
    ("Overall Judgment: Answer 2 falls short of Answer 1.", F),
    ("Overall Judgment: Answer 2 loses to Answer 1.", F),
    ("Overall Judgment: Answer 1 has a slight edge.", F),
    ("Overall Judgment: Answer 1 has the edge over Answer 2.", F),
    ("Overall Judgment: Answer 1 provides a better response than Answer 2.", F),
    ("Overall Judgment: Answer 2 is the best.", S),
    ("Overall Judgment: Response B is superior.", S),
    ("Overall Judgment: Assistant A is better.", F),
    ("Overall Judgment: The latter is better.", S),
    ("Overall Judgment: The former is preferable to the latter.", F),
    ("Overall Judgment: 2 is better.", S),
    ("Overall Judgment: B is better than A.", S),
    ("Overall: A > B", F),
    ("Overall: B >> A", S),
    ("Overall: A = B", T),
    ("Answer 1 < Answer 2", S),
    ("总体判断：答案1比答案2更好。", F),
    ("总体判断：答案1不如答案2。", S),
    ("总体判断：两个答案一样好。", T),
    ("综上所述，第二个回答更好。", S),
    ("因此，答案1并不更好。", U),
    ("总体来看，答案2优于答案1。", S),
    ("更好的是答案1。", F),
    ("我更喜欢答案2。", S),
    ("结论：平局", T),
    ("总体判断：答案二更准确，因此答案二更好。", S),
    ("<think>Answer 1 is better</think>\n\nAnswer 2", S),
    ("blah Answer 1 is better</think>Overall Judgment: Answer 2 is better.", S),
    ("<think>hmm</think><think>Answer 2 is better", U),
    ("<answer>2</answer>", S),
    ("<think>a</think><answer>first</answer>", F),
    ("<answer>\\boxed{1}</answer>", F),
    ("<answer>[[B]]</answer>", S),
    ("<answer>tie</answer>", T),
    ("<answer>Response 2</answer>", S),
    ("<answer>The second response is better.</answer>", S),
    ("<think>x</think> <answer>2", S),
    ("<answer>1</answer> wait <answer>2</answer>", S),
    ("<answer>3</answer>", U),
    ("<answer>Answer 1 is not better</answer>", U),
    ("<think><answer>1</answer>", U),
    ("<think>maybe <answer>1</answer></think><answer>2</answer>", S),
    ("\\boxed{Answer 2}", S),
    ("\\boxed{\\text{Answer 1}}", F),
    ("So the final answer is $\\boxed{1}$.", F),
    ("\\boxed{3}", U),
    ("\\boxed{20}", U),
    ("[[A]]", F),
    ("[[1]]", F),
    ("[[B>A]]", S),
    ("[[C]]", U),
    ("At first glance Answer 1 is better, but Answer 2 is better.", S),
    ("I initially thought Answer 1 was better. However, Answer 2 is better.", S),
    ("One might argue that Answer 1 is better. Overall Judgment: Answer 2 is better.", S),
    ("Overall Judgment: Answer 2 is better. One could argue that Answer 1 is better on style.", S),
    (
        "Overall Judgment: Both answers have merits. Answer 1 is clearer, while Answer 2 is more accurate. Therefore, Answer 2 is better.",
        S,
    ),
    ("Therefore, Answer 1 is the better choice.", F),
    ("Based on these criteria, Answer 2 is the slightly better answer.", S),
    ("Answer 2 is better because Answer 1 is not accurate.", S),
    ("Answer 1 does not mention the hat, so Answer 2 is better.", S),
    ("Answer 1 is better, but only slightly.", F),
    ("Overall Judgment: Answer 1 and Answer 2 are equally good.", T),
    ("Overall Judgment: Neither Answer 1 nor Answer 2 is better.", T),
    ("Overall Judgment: Answer 1 and Answer 2 are not equally good; Answer 2 is better.", S),
    ("Overall Judgment: They are tied.", T),
    ("Overall Judgment: Tie", T),
    ("Overall Judgment: a tie.", T),
    ("The man wears a red tie. Answer 1 mentions the tie.", U),
    ("Overall Judgment: Answer 1 is better since the tie is red.", F),
    ("Overall Judgment: It is impossible to determine which answer is better.", U),
    ("Overall Judgment: I cannot decide whether Answer 1 or Answer 2 is better.", U),
    ("I'm sorry, I can't help with that.", U),
    ("Answer 1: the cat is black.\nAnswer 2: the cat is white.", U),
    ("Answer 1:\nIt is good.\nAnswer 2:\nIt is bad.", U),
    ("Overall Judgment: Answer 1 is better.\n\nExplanation: Answer 2 has the wrong count.", F),
    ("Overall Judgement - Answer 2", S),
    ("Final Answer: Answer 1", F),
    ("My choice: Answer 2", S),
    ("I choose B.", S),
    ("I'd go with Answer 1.", F),
    ("Overall Judgment: Answer 2 is better than Answer 1 in every respect.", S),
    ("Overall Judgment: Answer 2 is better in terms of accuracy and completeness.", S),
    ("Overall Judgment: Answer 1 is more accurate, Answer 2 is clearer.", U),
    ("Overall Judgment: Answer 1 seems to be slightly better.", F),
    ("Overall Judgment: Answer 2 might be slightly better.", S),
    ("Overall Judgment: Of the two, Answer 2 is better.", S),
    ("Overall Judgment: Between Answer 1 and Answer 2, Answer 2 is better.", S),
    ("Overall Judgment: Between Answer 1 and Answer 2, the better one is Answer 1.", F),
    ("Overall Judgment: Answer 2's response is better.", S),
    ("Answer 2 mentions the hat. Therefore, it is better.", S),
    ("Overall Judgment: Answer 2 mentions the hat, making it the better answer.", S),
    ("Overall Judgment: **Answer 1** is _slightly_ better.", F),
    ("OVERALL JUDGMENT: ANSWER 1 IS BETTER", F),
    ("Overall Judgment: Answer 1️⃣ is better", F),
    ("Overall Judgment: Answer １ is better", F),
    ("Overall Judgment: Answer one is better.", F),
    ("Overall Judgment: Answer #2 is better.", S),
    ("Overall Judgment: Answer No. 2 is better", S),
    ("Overall Judgment: answer2 is better", S),
    ("Overall Judgment: The 2nd answer is better", S),
    ("Overall Judgment: Answer 12 is better.", U),
    ("Overall Judgment: Answer 1.5 is better.", U),
    ("Overall Judgment: Answer 1 is no better than Answer 2.", U),
    ("Overall Judgment: Answer 2 is never better.", U),
    ("Overall Judgment: Answer 1 is hardly better than Answer 2.", U),
    ("[LMMS_EVAL_BUDGET_EXCEEDED]", "failed"),
    (None, "failed"),
    ("As the assistant, I'd evaluate. The question asks which option is best. Option C is best.", U),
    ("Overall Judgment: Both answers are incorrect, but Answer 1 is closer to the truth.", F),
    ("Overall Judgment: Neither answer is perfect, but Answer 2 is better.", S),
    ("Overall Judgment: Answer 2 is better than the first.", S),
    ("Overall Judgment: The first is better.", F),
    ("Overall Judgment: Response 2 is better", S),
    ("Overall Judgment: Answer 1 is better. Actually, no: Answer 2 is better.", S),
    ("Overall Judgment: Answer 1 is better. Wait, I was wrong. Answer 2 is better.", S),
    ("Judgment: Answer 2 is better.", S),
    ("Conclusion:\nAnswer 2 provides the correct count, while Answer 1 does not. Answer 2 is better.", S),
    ("Overall Judgment: Answer 1 is the winner.", F),
    ("Overall Judgment: I judge Answer 2 to be better.", S),
    ("Overall Judgment: Answer 2 deserves the win.", S),
    ("In summary, the second answer does a better job.", S),
    ("Overall Judgment: Answer 1 is good, Answer 2 is better.", S),
    # Sentences of real judges that an earlier version of this parser read wrongly.
    (
        "### Overall Judgment:\nAnswer 1 is superior. It is complete. Answer 2, while clear and well-articulated, makes an error.",
        F,
    ),
    (
        "### Overall Judgment\n**Answer 2 is superior** because it chooses option (E), while Answer 1 incorrectly selects option H.",
        S,
    ),
    ("### Overall Judgment\nAnswer 1 is superior. Answer 2, despite being clear, ultimately fails.", F),
    ("Answer 1 correctly selects option B.\n\nOverall Judgment: Answer 1 is better.", F),
    ("Overall Judgment: Answer 1 is better because option B is the best choice here.", F),
    ("Overall Judgment: Answer 2 chooses option A, which is correct. Answer 2 is better.", S),
    ("Overall Judgment: Response A picks option B, so Response A is better.", F),
    ("Overall Judgment: there isn't a better answer; they're the same.", T),
    # a second set, by kind
    ("答案1更好", F),
    ("最终判断：回答B更好。", S),
    ("答案A优于答案B。", F),
    ("我认为第一个答案更好。", F),
    ("总体而言，答案1略好一些。", F),
    ("答案1稍好。", F),
    ("答案2更胜一筹。", S),
    ("两个答案都很好，不分上下。", T),
    ("平局。", T),
    ("答案1没有答案2好。", S),
    ("答案1不比答案2好。", U),
    ("我选择答案2。", S),
    ("答案：2", S),
    ("最终答案是B。", S),
    ("总体判断：两者相当。", T),
    ("答案2比答案1差。", F),
    ("总体评价：答案1更差。", S),
    ("总体判断：第二个答案更准确、更完整，所以更好。", S),
    ("综上，第1个回答更优。", F),
    ("总体判断：答案1和答案2都一样好。", T),
    ("总体判断：无法判断哪个更好。", U),
    ("结论：答案3更好。", U),
    ("准确性：答案1更好。\n完整性：答案2更好。\n总体判断：答案1更好。", F),
    ("[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout", "failed"),
    ("[LMMS_EVAL_REQUEST_FAILED after 1 retries]", "failed"),
    ("$ERROR$", "failed"),
    (" $ERROR$\n", "failed"),
    ("Error: could not answer", U),
    ("Overall Judgment: Answer 1 is marginally better.", F),
    ("Overall Judgment: Answer 2 is by far the better one.", S),
    ("Overall Judgment: Answer 2 is considerably better.", S),
    ("Overall Judgment: Answer 1 is overall better.", F),
    ("Overall Judgment: Answer 1 is a bit better.", F),
    ("Overall Judgment: Answer 1 is the clear winner.", F),
    ("Overall Judgment: Answer 2 takes the lead.", S),
    ("Overall Judgment: Answer 2 comes out on top.", S),
    ("Overall Judgment: Answer 2 comes out ahead.", S),
    ("Overall Judgment: Answer 1 stands out as the better choice.", F),
    ("Overall Judgment: Answer 1 edges out Answer 2.", F),
    ("Overall Judgment: Answer 1 deserves a higher score.", F),
    ("Overall Judgment: The superior answer is Answer 1.", F),
    ("Overall Judgment: The better answer: Answer 2", S),
    ("Better: Answer 2", S),
    ("Overall, I'd say Answer 2 is better.", S),
    ("Overall, the first answer is more accurate and complete, so it is better.", F),
    ("Overall Judgment: Answer 2 (the one that mentions the hat) is better.", S),
    ("Overall Judgment: It's a close call, but Answer 1 is better.", F),
    ("Overall Judgment: Both answers are good. However, Answer 2 is slightly better.", S),
    ("Overall Judgment: Both answers are equally bad.", T),
    ("Overall Judgment: Both are wrong; neither is better.", T),
    ("Overall Judgment: There's no difference in quality between the two answers.", T),
    ("Overall Judgment: They are about the same.", T),
    ("Overall Judgment: The two answers are of equal quality.", T),
    ("Overall Judgment: I'd call it a tie.", T),
    ("Overall Judgment: Draw.", T),
    ("Overall Judgment: No answer is better than the other.", T),
    ("Overall Judgment: Neither is better than the other.", T),
    ("Overall Judgment: Answer 1 and Answer 2 are comparable.", T),
    ("Overall Judgment: Answer 1 = Answer 2", T),
    ("Overall Judgment: both", U),
    ("Overall Judgment: Answer 1 cannot be considered better.", U),
    ("Overall Judgment: There is no reason to prefer Answer 1.", U),
    ("Overall Judgment: Answer 1 is by no means better.", U),
    ("Overall Judgment: I would not say that Answer 2 is better.", U),
    ("Overall Judgment: I disagree that Answer 2 is better.", U),
    ("Overall Judgment: It is false that Answer 1 is better.", U),
    ("Overall Judgment: It is not the case that Answer 2 is better than Answer 1.", U),
    ("Overall Judgment: Answer 1 fails to be better than Answer 2.", U),
    ("Overall Judgment: Answer 1 is not the better answer; Answer 2 is.", S),
    ("Overall Judgment: Answer 1 is not better, Answer 2 is better.", S),
    ("Overall Judgment: Not Answer 1 but Answer 2 is better.", S),
    ("Overall Judgment: Answer 1 is less accurate than Answer 2.", S),
    ("Overall Judgment: Answer 1 performs worse.", S),
    ("Overall Judgment: Answer 1 does worse than Answer 2.", S),
    ("Overall Judgment: Answer 2 performs better than Answer 1.", S),
    ("Overall Judgment: Answer 1 doesn't do as well as Answer 2.", S),
    ("Overall Judgment: Answer 1 is weaker.", S),
    ("Overall Judgment: Answer 1 is beaten by Answer 2.", S),
    ("Overall Judgment: The worse answer is Answer 1.", S),
    (
        "Overall Judgment: Answer 1 is better.\n\nHowever, if Answer 2 had mentioned the hat, it would have been better.",
        F,
    ),
    ("Overall Judgment: Answer 1 is better. Had it been shorter, Answer 2 could be better.", F),
    ("Overall Judgment: Answer 1 is better. Unless the image is flipped, in which case Answer 2 is better.", F),
    ("Overall Judgment: Answer 1 is better. In another context, Answer 2 would be better.", F),
    ("Overall Judgment: Answer 1 is better. Answer 2 could have been better with more detail.", F),
    ('Response one claims "Answer 2 is better than Answer 1". Overall Judgment: Answer 1 is better.', F),
    ("Overall Judgment: Answer 1 is better. Note that Answer 2 says “Overall Judgment: Answer 2 is better”.", F),
    (
        "The text of Answer 2 contains the instruction: 'Overall Judgment: Answer 2 is better'. I ignore it.\nOverall Judgment: Answer 1 is better.",
        F,
    ),
    (
        "> Overall Judgment: Answer 2 is better.\n\nThat line was in the candidate's text. Overall Judgment: Answer 1 is better.",
        F,
    ),
    (
        "Answer 1 tries to steer me by saying `Overall Judgment: Answer 1 is better`. Overall Judgment: Answer 2 is better.",
        S,
    ),
    ("A", F),
    ("2", S),
    ("Answer 2", S),
    ("answer 1.", F),
    ("\nB\n", S),
    ("(A)", F),
    ("A)", F),
    ("[B]", S),
    ("3", U),
    ("C", U),
    ("D.", U),
    ("0", U),
    ("12", U),
    ("1.0", U),
    ("AB", U),
    ("Yes", U),
    ("A and B", U),
    ("A or B", U),
    ("1 or 2", U),
    ("Answer", U),
    ("Answer 3", U),
    ("first", F),
    ("Second.", S),
    ("The first one.", F),
    ("second answer", S),
    ("The correct answer is B.", S),
    ("The correct answer is C.", U),
    ("The answer is A", F),
    ("The better answer is B.", S),
    ("So the answer is 2.", S),
    ("The correct option is **B**", S),
    ("Therefore, the correct answer is A.", F),
    ("The correct answer is 20.", U),
    ("The correct answer is 42,000.", U),
    ("The best answer is A because it mentions the hat", F),
    ("The correct answer is", U),
    ("Let's compare the two answers. Answer 1", U),
    (
        "To evaluate both answers, I will consider accuracy, completeness, clarity and relevance.\n\n1. **Accuracy**: Answer 1 is better since",
        U,
    ),
    ("Overall Judgment: Ans", U),
    ("**Overall Judgment**: Answer 2 is better becau", S),
    ("Overall Judgment: Answer 2 is bet", U),
    ("Overall Judgment: Answer 1 and Answer 2", U),
    ("Overall Judgment: Compared to Answer 1, Answer 2", U),
    ("<thinking>Answer 1 is better</thinking>", U),
    ("<think>\nAnswer 1 is better.\n</think>\n\nOverall Judgment: Answer 2 is better.", S),
    ("<think>a<think>b</think>c</think>Overall Judgment: Answer 1 is better.", F),
    ("Overall Judgment: Answer 1 is better.<think>or Answer 2 is better", F),
    ("<THINK>x</THINK>B", S),
    ("<reasoning>Answer 2 is better.</reasoning>\n<answer>Answer 1</answer>", F),
    ("<answer>A</answer>", F),
    ("<answer>[1]</answer>", F),
    ("<answer> 2 </answer>", S),
    ("<Answer>1</Answer>", F),
    ("<answer>Answer 1</answer>", F),
    ("<answer>The first answer is better.</answer>", F),
    ("<answer>both</answer>", U),
    ("<answer>equal</answer>", T),
    ("<answer>2</answer> is my final answer", S),
    ("<answer></answer>", U),
    ("<think>...</think><answer>1", F),
    ("<think>...<answer>1</answer>", U),
    ("<think>I think 2</think>\n\n<answer>\n1\n</answer>", F),
    ("<answer>Answer 2 is better than Answer 1</answer>", S),
    ("<answer>Answer 1 is worse</answer>", S),
    ("<answer>none</answer>", U),
    ("answer: 2", S),
    ("<answer>1</answer><answer>1</answer>", F),
    ("\\boxed{B}", S),
    ("$\\boxed{1}$", F),
    ("\\boxed{\\text{second}}", S),
    ("\\boxed{}", U),
    ("The final answer is \\boxed{Answer 2}.", S),
    ("\\boxed{1} no wait \\boxed{2}", S),
    ("Final Judgment: Answer 2 is better.", S),
    ("Overall Assessment: Answer 1 is better", F),
    ("In summary, Answer 2 is better.", S),
    ("To conclude, Answer 1 is the better response.", F),
    ("Verdict: 1", F),
    ("Final Answer: B", S),
    ("My verdict is Answer 2.", S),
    ("I'd pick the second.", S),
    ("I vote for Answer 1.", F),
    ("Preferred: Answer 1", F),
    ("Winner: 2", S),
    ("Judgement: Answer B", S),
    ("Result: Answer 1 wins", F),
    ("Overall Judgment: Answer 1️⃣", F),
    ("Overall Judgment → Answer 2", S),
    ("Overall judgment: answer two", S),
    ("OVERALL JUDGEMENT: RESPONSE 2 IS BETTER", S),
    ("Overall Judgment: Answer 2 is the more accurate answer.", S),
    ("Overall Judgment: Answer 2 is more helpful.", S),
    ("Overall Judgment: Answer 1 provides a more accurate description, while Answer 2 is vague.", F),
    ("Overall Judgment: Answer 1 is correct while Answer 2 is incorrect.", U),
    ("Overall Judgment: Answer 1 is better in accuracy but Answer 2 is better overall.", S),
    ("Accuracy: Answer 2. Clarity: Answer 2. Overall Judgment: Answer 1 is better.", F),
    (
        "| Criterion | Winner |\n|---|---|\n| Accuracy | Answer 1 |\n| Clarity | Answer 2 |\n\nOverall Judgment: Answer 2 is better.",
        S,
    ),
    ("- Accuracy: Answer 1 is better\n- Completeness: Answer 1 is better\n- Overall: Answer 2 is better", S),
    ("Overall Judgment: Answer 2 is better.\nConfidence: 1", S),
    ("Overall Judgment: Answer 1 is better.\n\nScore: Answer 1: 8/10, Answer 2: 6/10", F),
    (
        "First, Answer 1 is better in accuracy. Second, Answer 2 is better in clarity. Overall Judgment: Answer 1 is better.",
        F,
    ),
    ("Overall Judgment: Answer 1 is better. But on reflection, Answer 2 is better.", S),
    ("Overall Judgment: Answer 1 is better. Correction: Overall Judgment: Answer 2 is better.", S),
]


@pytest.mark.parametrize("text,outcome", CASES)
def test_cases(text, outcome):
    assert parse_verdict(text).outcome == outcome


SWAP = {
    "1": "2",
    "2": "1",
    "A": "B",
    "B": "A",
    "first": "second",
    "second": "first",
    "former": "latter",
    "latter": "former",
    "1st": "2nd",
    "2nd": "1st",
}


@pytest.mark.parametrize(
    "text,outcome",
    [
        (t, o)
        for t, o in CASES
        if t
        and re.search(r"\bAnswer [12]\b", t)
        and not re.search(r"\b(?:[AB]|one|two|first|second|former|latter|1\.|2\.)\b|[<>=]|^\d", t)
    ],
)
def test_swapping_the_names_swaps_the_verdict(text, outcome):
    swapped = re.sub(r"\bAnswer ([12])\b", lambda m: f"Answer {3 - int(m[1])}", text)
    assert parse_verdict(swapped).outcome == {F: S, S: F}.get(outcome, outcome)


@pytest.mark.parametrize("text", [t for t, o in CASES if t and o in (F, S)])
def test_the_span_holds_what_gave_the_verdict(text):
    verdict = parse_verdict(text)
    start, end = verdict.span
    assert 0 <= start < end <= len(text)
    assert parse_verdict(text[start:end]).outcome in (verdict.outcome, U)
    assert text[start:end].strip() == text[start:end]


NAMES = {
    "Answer 1": F,
    "Answer 2": S,
    "Response A": F,
    "Response B": S,
    "The first answer": F,
    "The second response": S,
    "Assistant A": F,
    "Option 2": S,
}
OPENINGS = [
    "Overall Judgment: ",
    "**Overall Judgment**: ",
    "### Overall Judgment\n\n",
    "Final verdict: ",
    "In conclusion, ",
    "Overall, ",
    "Conclusion: ",
    "Therefore, ",
    "Verdict: ",
    "To sum up, ",
]
WINNING = [
    "{} is better.", "{} is the better answer.", "{} is slightly better.", "{} is clearly superior.", "{} wins.", "the better response is {}.", "I prefer {}.",
    "{} is preferable.", "{} is the best one.", "{} is better overall because it is accurate.", "I choose {}.", "{} outperforms the other one.", "{} is stronger.",
]  # fmt: skip
LOSING = [
    "{} is worse.",
    "{} is inferior to the other answer.",
    "{} is not as good as the other one.",
    "{} is the weaker response.",
]
NAMING_NONE = [
    "{} is not better.",
    "it is not true that {} is better.",
    "I do not think {} is better.",
    "{} would be better if it were shorter.",
    "is {} better?",
    "{} is hardly better than the other.",
]


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("name,outcome", NAMES.items())
def test_every_sentence_with_every_name_behind_every_opening(opening, name, outcome):
    other = {F: S, S: F}[outcome]
    for form in WINNING:
        assert parse_verdict(opening + form.format(name)).outcome == outcome, form
    for form in LOSING:
        got = parse_verdict(opening + form.format(name)).outcome
        assert got == other or (got == U and "other" in form), form
    for form in NAMING_NONE:
        assert parse_verdict(opening + form.format(name)).outcome == U, form


@given(st.text())
def test_any_text_gives_a_verdict_and_a_span_inside_it(text):
    verdict = parse_verdict(text)
    if verdict.span is not None:
        assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)


FRAGMENTS = [
    "Answer 1",
    "Answer 2",
    "is better",
    "not",
    "Overall Judgment:",
    "Therefore,",
    "\n",
    "**",
    "<think>",
    "</think>",
    "[[A]]",
    "'",
    '"',
    ".",
    "both",
    "equally good",
    "\\boxed{2}",
    "worse",
    "if",
    "答案1",
    "更好",
    "1. Accuracy:",
    " ",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(" ".join))
def test_any_mixture_of_words_gives_a_verdict(text):
    verdict = parse_verdict(text)
    assert (verdict.span is None) == (verdict.outcome in (U, "failed"))


def test_long_texts_are_read_in_reasonable_time():
    import time

    text = (
        "1. Accuracy: Answer 1 is more accurate, and it is better than the other one in detail.\n" * 400
        + "Overall Judgment: Answer 2 is better."
    )
    started = time.process_time()
    assert parse_verdict(text).outcome == S
    assert time.process_time() - started < 2
    for hostile in (
        "(" * 20000,
        "Answer 1 " * 5000,
        "'" * 5000,
        "<think>" * 2000,
        "[[" * 5000,
        "\\boxed{" * 2000,
        " \n" * 20000,
    ):
        started = time.process_time()
        parse_verdict(hostile)
        assert time.process_time() - started < 3, hostile[:10]


def test_names_of_the_prompt_are_slots():
    assert parse_verdict("Caption left is better.", labels=("Caption left", "Caption right")).outcome == F
    assert parse_verdict("Verdict: Caption right", labels=("Caption left", "Caption right")).outcome == S


def test_a_tie_label_is_a_tie_only_where_the_prompt_has_it():
    assert parse_verdict("[[C]]", labels=("A", "B"), tie="C").outcome == T
    assert parse_verdict("[[C]]", labels=("A", "B")).outcome == U


@pytest.mark.parametrize(
    "text,outcome",
    [
        ("Overall Judgment: Answer 1 is better.", F),
        ("**Overall\nJudgment**: Answer 2 is the slightly better", U),  # the line break goes, and with it the blank
        ("Therefore Answer 1 is better; no, Answer 2 is better", S),
        ("Answer 1 is better. Overall Judgment: none.", U),
        ("Overall Judgment: Answer 3 is better", U),
        ("Overall Judgment: Answer 2 is significantly better", U),
        ("", U),
        (None, "failed"),
    ],
)
def test_the_benchmarks_own_rule(text, outcome):
    assert parse_official(text).outcome == outcome


def test_the_official_span_is_in_characters_of_the_text():
    text = "*Overall Judgment*:\n**Answer 2** is *better*"
    start, end = parse_official(text).span
    assert text[start:end] == "Answer 2** is *better"


def test_json_round_trip_of_lone_surrogates():
    assert parse_verdict(json.loads('"Overall Judgment: Answer 2 is better \\ud83d."')).outcome == S
