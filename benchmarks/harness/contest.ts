import type { BenchmarkContext } from '../context.js';
import { exchange } from './capture.js';
import { findMismatch } from './answer-check.js';
import { generateLoad } from './generator.js';
import type { ClosedLoopPlan, LoadPlan, Measurement, OpenLoopPlan } from './load-plan.js';
import { ratiosBetween, summarizeRuns, type Result } from './results.js';
import type { RunningSubject, SubjectSpec } from './subject.js';

type PlanRest<Plan> = Omit<Plan, 'url' | 'serverPid' | 'mongodPid' | 'timeoutSeconds'> & { timeoutSeconds?: number };
/** A plan without what the contest knows itself. */
export type PlanInput = PlanRest<ClosedLoopPlan> | PlanRest<OpenLoopPlan>;

export type Contender = {
  /** as it stands in the results: `product`, `express-naive`, `product@page5000` … */
  subject: string;
  spec: () => SubjectSpec | Promise<SubjectSpec>;
  plan: (running: RunningSubject, run: number) => PlanInput | Promise<PlanInput>;
};

export type Contest = {
  suite: string;
  contenders: Contender[];
  /** pairs [subject, against]; default: the first contender named `product` against every other */
  ratios?: [string, string][];
  /** an answer other than the expected one is counted and shown, not a failed result (overload: refusing is what is measured) */
  mayRefuse?: boolean;
};

const CHECKED_BEFORE = 3;

/** Interleaved runs A B A B …, one subject under load at a time; medians per subject, ratios between them. */
export async function runContest(context: BenchmarkContext, contest: Contest): Promise<Result[]> {
  const wanted = contest.contenders.filter((contender) => context.wantsSubject(contender.subject));
  const entries: { contender: Contender; spec: SubjectSpec; runs: Measurement[][]; problem: string | null }[] = [];
  for (const contender of wanted) entries.push({ contender, spec: await contender.spec(), runs: [], problem: null });
  context.progress.expect(entries.length * context.options.runs);
  await context.subjects.keepOnly(entries.map((entry) => entry.spec));

  for (let run = 0; run < context.options.runs; run++) {
    for (const entry of entries) {
      if (entry.problem === null && !context.registry.isStopping) {
        try {
          entry.runs.push(await oneRun(context, contest, entry.contender, entry.spec, run));
        } catch (error) {
          entry.problem = error instanceof Error ? error.message : String(error);
        }
      }
      context.progress.advance();
    }
  }

  const results: Result[] = [];
  for (const { contender, spec, runs, problem } of entries) {
    if (problem !== null) {
      const output = context.subjects.outputOf(spec);
      context.fail({ suite: contest.suite, subject: contender.subject, problem: output ? `${problem}\n${output.slice(-600)}` : problem });
      continue;
    }
    // an open loop has several phases: each is a result of its own
    for (const [phase, first] of (runs[0] ?? []).entries()) {
      const subject = first.phase === '' ? contender.subject : `${contender.subject}@${first.phase}`;
      const measured = runs.map((run) => run[phase]!);
      results.push(summarizeRuns(contest.suite, subject, measured));
    }
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
  contender: Contender,
  spec: SubjectSpec,
  run: number,
): Promise<Measurement[]> {
  const label = `${contest.suite} ${contender.subject} run ${run + 1}/${context.options.runs}`;
  context.progress.status(`${label}: starting`);
  const running = await context.subjects.get(spec);
  const plan: LoadPlan = {
    timeoutSeconds: 30,
    ...(await contender.plan(running, run)),
    url: running.url,
    serverPid: running.pid,
    mongodPid: context.mongod?.pid ?? null,
  };
  if (run === 0 && !contest.mayRefuse) await checkBefore(running.url, plan);
  const measurements = await generateLoad(plan, context.registry, (requests) => {
    context.progress.status(`${label}: ${requests} requests`);
  });
  for (const measured of measurements) {
    const problem = problemOf(measured, contest.mayRefuse ?? false);
    if (problem !== null) throw new Error(problem);
  }
  return measurements;
}

/** Reads only: sending a write twice would change its answer. */
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

function ratioPairs(contest: Contest, results: Result[]): [Result, Result][] {
  const others = contest.contenders.map((contender) => contender.subject).filter((subject) => subject !== 'product');
  const pairs = contest.ratios ?? others.map((other): [string, string] => ['product', other]);
  return pairs.flatMap(([subject, against]) =>
    results
      .filter((result) => result.subject === subject || result.subject.startsWith(`${subject}@`))
      .flatMap((above): [Result, Result][] => {
        // a phase of an open loop is compared with the same phase
        const phase = above.subject.slice(subject.length);
        const below = results.find((result) => result.subject === against + phase);
        return below ? [[above, below]] : [];
      }),
  );
}
