import assert from "node:assert/strict";
import { test } from "node:test";
import { meanDecodeRate, Pace, ratesOf } from "../run/pace.ts";
import { repeatsItself } from "../run/repeats.ts";
import { judge } from "../run/self-test.ts";
import { canContinue, follow, isBusy, mayFollow, type Phase } from "../run/state.ts";
import { type Clock, Watchdog } from "../run/watchdog.ts";
import { answer } from "./samples.ts";

test("states follow each other as a run does, and not otherwise", () => {
  const whole: Phase[] = ["idle", "checking", "downloading", "preparing", "running", "paused", "running", "finished", "shared"];
  whole.slice(1).forEach((next, at) => assert.ok(mayFollow(whole[at] as Phase, next), `${whole[at]} → ${next}`));
  const never: [Phase, Phase][] = [["idle", "running"], ["downloading", "finished"], ["failed", "finished"], ["cancelled", "shared"], ["paused", "finished"], ["idle", "shared"]];
  for (const [now, next] of never) assert.ok(!mayFollow(now, next), `${now} → ${next}`);
  assert.throws(() => follow({ phase: "idle" }, { phase: "finished" }), /idle cannot become finished/);
  assert.ok(isBusy({ phase: "paused" }) && !isBusy({ phase: "finished" }));
  assert.ok(canContinue({ phase: "cancelled" }) && !canContinue({ phase: "finished" }));
});

class TestClock implements Clock {
  #now = 0;
  #tick: (() => void) | null = null;
  now(): number {
    return this.#now;
  }
  every(_: number, tick: () => void): () => void {
    this.#tick = tick;
    return () => (this.#tick = null);
  }
  /** Time passes in steps of a second. */
  pass(milliseconds: number, step = 1000): void {
    for (const end = this.#now + milliseconds; this.#now < end; ) {
      this.#now += Math.min(step, end - this.#now);
      this.#tick?.();
    }
  }
}

test("silence is noticed, once, and signs of life put it off", () => {
  const clock = new TestClock();
  let noticed = 0;
  const watchdog = new Watchdog(10_000, () => (noticed += 1), clock);
  clock.pass(9000);
  watchdog.heard(5000);
  clock.pass(4000);
  assert.equal(noticed, 0);
  clock.pass(60_000);
  assert.equal(noticed, 1);
});

test("a machine that slept is no silent engine", () => {
  const clock = new TestClock();
  let noticed = 0;
  new Watchdog(10_000, () => (noticed += 1), clock);
  clock.pass(3_600_000, 3_600_000);
  assert.equal(noticed, 0);
  clock.pass(12_000);
  assert.equal(noticed, 1);
});

test("an ended watchdog is quiet", () => {
  const clock = new TestClock();
  const watchdog = new Watchdog(1000, () => assert.fail("it was ended"), clock);
  watchdog.end();
  clock.pass(10_000);
});

test("the known answer passes, garbage fails, disobedience is the model's right", () => {
  const garbage = ["", "  \n", "!!!!!!!!!!!!!!!!!!!!!!!!", "\uFFFD\uFFFD\uFFFD", "the the the the the the the the the", "@@##$$%%^^&&**((", "1 1 1 1", "iding Hague 乐 lesson zwischen мир 한국 the"];
  for (const isOfCatalogue of [true, false]) {
    for (const output of ["one two three four five", "Repeat exactly one two three four five.", "One, two, three, four, five"]) assert.equal(judge(output, isOfCatalogue), "passed", output);
    for (const output of garbage) assert.equal(judge(output, isOfCatalogue), "failed", output);
  }
  assert.equal(judge("I am sorry, but I cannot do that.", false), "passed");
});

test("a model of the catalogue that does not repeat five words is on a device that computes garbage", () => {
  for (const output of ["I am sorry, but I cannot do that.", "lesson between harbour of the seven was blue and", "three one five"]) assert.equal(judge(output, true), "failed", output);
});

test("a loop is a loop from forty words on", () => {
  const loop = "the answer is not clear from the text and ".repeat(8);
  assert.ok(repeatsItself(loop));
  assert.ok(!repeatsItself("the answer is B the answer is B"));
  assert.ok(!repeatsItself(Array.from({ length: 80 }, (_, at) => `word${at}`).join(" ")));
});

test("a pace is that of the last seconds, and knows the time left", () => {
  const pace = new Pace();
  assert.equal(pace.perSecond, null);
  pace.add(0, 0);
  assert.equal(pace.perSecond, null);
  pace.add(1000, 1000);
  assert.equal(pace.perSecond, 1000);
  assert.equal(pace.secondsTo(3000), 2);
  for (let at = 2; at <= 40; at += 1) pace.add(1000 + 10 * at, 1000 * at);
  assert.ok(Math.abs((pace.perSecond ?? 0) - 10) < 0.01, "the quick beginning is forgotten");
});

test("a pace that begins anew forgets the old one", () => {
  const pace = new Pace();
  pace.add(500, 0);
  pace.add(900, 1000);
  pace.add(0, 2000);
  assert.equal(pace.perSecond, null);
});

test("rates of an answer leave out what was still there, and the first token", () => {
  assert.deepEqual(ratesOf(answer("a")), { prefill: 60, decode: 4 });
  assert.deepEqual(ratesOf(answer("a", { first_token_ms: null })), { prefill: null, decode: null });
  assert.equal(ratesOf(answer("a", { output_tokens: 1 })).decode, null);
  assert.equal(meanDecodeRate([answer("a"), answer("b", { output_tokens: 41, total_ms: 5000 })]), (1000 * 44) / 5000);
  assert.equal(meanDecodeRate([]), null);
});
