import type { BenchmarkContext } from '../context.js';
import { exchange } from './capture.js';
import { findMismatch } from './response-check.js';
import { generateLoad } from './generator.js';
import type { ClosedLoopPlan, LoadPlan, Measurement, OpenLoopPlan } from './load-plan.js';
import { ratiosBetween, summarizeRuns, type Result } from './results.js';
import type { RunningSubject, SubjectSpec } from './subject.js';
import { distinctIn, Warmth, warmupOf, withinHalf } from './warmup.js';

type PlanRest<Plan> = Omit<Plan, 'url' | 'serverPid' | 'mongodPid' | 'timeoutSeconds'> & { timeoutSeconds?: number };
/** A plan without the fields that the contest fills in. */
export type PlanInput = PlanRest<ClosedLoopPlan> | PlanRest<OpenLoopPlan>;

export type Contender = {
  /** Name in the results: `product`, `express-naive`, `product@page5000` … */
  subject: string;
  spec: () => SubjectSpec | Promise<SubjectSpec>;
  plan: (running: RunningSubject, run: number) => PlanInput | Promise<PlanInput>;
  /** Load beside the measured one. It has an end, may be refused, and is a separate result with this name. */
  background?: { subject: string; plan: () => PlanInput | Promise<PlanInput> };
  /** Other work during the load. Resolves after its start to a function that awaits its end. */
  beside?: () => Promise<() => Promise<void>>;
  /** `beside` loads the server or mongod, as a background always does, so their CPU is not the cost of the requests. */
  isCpuShared?: boolean;
};

export type Contest = {
  suite: string;
  contenders: Contender[];
  /** Pairs [subject, against]; default: the first contender named `product` against every other. */
  ratios?: [string, string][];
  /** Unexpected responses are counted and shown, but do not fail the result (an overload benchmark measures refusals). */
  mayRefuse?: boolean;
  /** Starts each subject for its run and stops it afterwards, for subjects that differ by a setting only. */
  isExclusive?: boolean;
  /** Maximum of runs. */
  maxRuns?: number;
  /** The untimed phase of the plan is the whole warm-up, because a closed loop would leave the server with too much work. */
  hasOwnWarmup?: boolean;
  /** No request may be sent twice. The result notes when the list was too short. */
  isCold?: boolean;
};

const CHECKED_BEFORE = 3;

/** Runs interleaved A B A B …, one subject under load at a time. Reports medians per subject and ratios between them. */
export async function runContest(context: BenchmarkContext, contest: Contest): Promise<Result[]> {
  const wanted = contest.contenders.filter((contender) => context.wantsSubject(contender.subject));
  const entries: {
    contender: Contender;
    spec: SubjectSpec;
    runs: Measurement[][];
    backgrounds: Measurement[];
    problem: string | null;
  }[] = [];
  for (const contender of wanted)
    entries.push({ contender, spec: await contender.spec(), runs: [], backgrounds: [], problem: null });
  const totalRuns = Math.min(context.options.runs, contest.maxRuns ?? Infinity);
  context.progress.expect(entries.length * totalRuns);
  await context.subjects.keepOnly(entries.map((entry) => entry.spec));

  const warmth = new Warmth(context.options.warmupPolicy, context.cores);
  const repeatsOf = new Map<string, number>();
  for (let run = 0; run < totalRuns; run++) {
    for (const entry of entries) {
      if (entry.problem === null && !context.registry.isStopping) {
        try {
          const { measurements, backgrounds, repeats } = await oneRun(
            context,
            contest,
            warmth,
            entry.contender,
            entry.spec,
            run,
          );
          entry.runs.push(measurements);
          entry.backgrounds.push(...backgrounds);
          repeatsOf.set(entry.contender.subject, (repeatsOf.get(entry.contender.subject) ?? 0) + repeats);
        } catch (error) {
          entry.problem = error instanceof Error ? error.message : String(error);
        }
      }
      context.progress.advance();
    }
  }

  const results: Result[] = [];
  for (const { contender, spec, runs, backgrounds, problem } of entries) {
    if (problem !== null) {
      const output = context.subjects.outputOf(spec);
      context.fail({
        suite: contest.suite,
        subject: contender.subject,
        problem: output ? `${problem}\n${output.slice(-600)}` : problem,
      });
      continue;
    }
    // Each phase of an open loop is a separate result.
    const isCpuShared = contender.isCpuShared ?? contender.background !== undefined;
    for (const [phase, first] of (runs[0] ?? []).entries()) {
      const subject = first.phase === '' ? contender.subject : `${contender.subject}@${first.phase}`;
      const measured = runs.map((run) => run[phase]!);
      const result = summarizeRuns(contest.suite, subject, isCpuShared ? measured.map(withoutCpu) : measured);
      const repeats = repeatsOf.get(contender.subject) ?? 0;
      if (contest.isCold && repeats > 0) {
        const note = `${repeats} requests, warm-up included, repeated earlier ones: not all were cold`;
        result.notes = [...(result.notes ?? []), note];
      }
      results.push(result);
    }
    if (backgrounds.length > 0)
      results.push(summarizeRuns(contest.suite, contender.background!.subject, backgrounds.map(withoutCpu)));
  }
  for (const result of results) context.add(result);
  for (const ratio of ratioPairs(contest, results).flatMap(([subject, against]) => ratiosBetween(subject, against))) {
    context.ratios.push(ratio);
  }
  return results;
}

async function oneRun(
  context: BenchmarkContext,
  contest: Contest,
  warmth: Warmth,
  contender: Contender,
  spec: SubjectSpec,
  run: number,
): Promise<{ measurements: Measurement[]; backgrounds: Measurement[]; repeats: number }> {
  const label = `${contest.suite} ${contender.subject} run ${run + 1}/${context.options.runs}`;
  context.progress.status(`${label}: starting`);
  if (contest.isExclusive) await context.subjects.keepOnly([spec]);
  const running = await context.subjects.get(spec);
  const complete = (input: PlanInput): LoadPlan => {
    const pids = { serverPid: running.pid, mongodPid: context.mongod?.pid ?? null };
    return { timeoutSeconds: 30, ...input, url: running.url, ...pids };
  };
  const plan = complete(await contender.plan(running, run));
  if (run === 0 && !contest.mayRefuse) await checkBefore(running.url, plan);
  const longWarmup = contest.hasOwnWarmup ? null : warmth.longWarmupOf(spec, running);
  if (plan.mode === 'closed') plan.longWarmup = contest.isCold ? withinHalf(longWarmup, plan) : longWarmup;
  else if (longWarmup) await generateLoad(warmupOf(plan, longWarmup), context.registry, () => {});
  const background = contender.background
    ? startBackground(context, complete(await contender.background.plan()))
    : undefined;
  const ended = await contender.beside?.();
  const measurements = await generateLoad(plan, context.registry, (requests) => {
    context.progress.status(`${label}: ${requests} requests`);
  }).catch((error: unknown) => {
    background?.abort();
    throw error;
  });
  const backgrounds = (await background?.measurements) ?? [];
  await ended?.();
  const problems = [
    ...measurements.map((measured) => problemOf(measured, contest.mayRefuse ?? false)),
    ...backgrounds.map(problemBeside),
  ];
  for (const problem of problems) if (problem !== null) throw new Error(problem);
  const sent = measurements.reduce((sum, measured) => sum + measured.warmupRequests + measured.requests, 0);
  return { measurements, backgrounds, repeats: plan.mode === 'closed' ? Math.max(0, sent - distinctIn(plan)) : 0 };
}

type Background = { measurements: Promise<Measurement[]>; abort: () => void };

function startBackground(context: BenchmarkContext, plan: LoadPlan): Background {
  const controller = new AbortController();
  const measurements = generateLoad(plan, context.registry, () => {}, controller.signal);
  // No caller awaits this promise yet when the load fails early.
  measurements.catch(() => undefined);
  return { measurements, abort: () => controller.abort() };
}

/** Checks only reads, because a write sent twice would change its response. */
async function checkBefore(url: string, plan: LoadPlan): Promise<void> {
  const requests = plan.mode === 'closed' ? plan.lanes.map((lane) => lane[0]!) : plan.requests;
  for (const request of requests.filter((each) => each.method === 'GET').slice(0, CHECKED_BEFORE)) {
    const answer = await exchange(url, request);
    const mismatch = findMismatch(request.expect, answer.status, answer.body);
    if (mismatch !== null) throw new Error(`before the run, GET ${request.path}: ${mismatch}`);
  }
}

function problemOf(measured: Measurement, mayRefuse: boolean): string | null {
  const { requests, errors, timeouts, unexpected, unexpectedExample } = measured;
  if (requests === 0) return `nothing was answered (${errors} errors: ${unexpectedExample ?? 'none seen'})`;
  if (mayRefuse || errors + unexpected === 0) return null;
  return `${unexpected} unexpected answers, ${errors} errors (${timeouts} timeouts) in ${requests} requests; the first: ${unexpectedExample}`;
}

/** Returns a problem if a response was neither expected nor a refusal, because then the load beside the measured one is not real. */
export function problemBeside(measured: Measurement): string | null {
  const { requests, succeeded, statuses } = measured;
  const refused = (statuses[429] ?? 0) + (statuses[503] ?? 0);
  if (requests > succeeded + refused) return `the load beside it was answered ${JSON.stringify(statuses)}`;
  return problemOf(measured, true);
}

/** Removes the CPU of two loads, which is not the cost of one load's requests. */
function withoutCpu(measured: Measurement): Measurement {
  return { ...measured, serverCpuMicros: null, mongodCpuMicros: null };
}

function ratioPairs(contest: Contest, results: Result[]): [Result, Result][] {
  const others = contest.contenders.map((contender) => contender.subject).filter((subject) => subject !== 'product');
  const pairs = contest.ratios ?? others.map((other): [string, string] => ['product', other]);
  return pairs.flatMap(([subject, against]) =>
    results
      .filter((result) => result.subject === subject || result.subject.startsWith(`${subject}@`))
      .flatMap((above): [Result, Result][] => {
        // A phase of an open loop is compared with the same phase.
        const phase = above.subject.slice(subject.length);
        const below = results.find((result) => result.subject === against + phase);
        return below ? [[above, below]] : [];
      }),
  );
}
