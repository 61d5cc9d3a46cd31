import { ObjectId } from 'mongodb';
import { createConnection, type Model } from 'mongoose';
import { findOne } from '../../src/platform/mongo/lean-reads.js';
import { SecondFactor, SecondFactorSchema } from '../../src/auth/second-factors/second-factor.schema.js';
import type { BenchmarkContext } from '../context.js';
import { runContest } from '../harness/contest.js';
import { readTreeUsage } from '../harness/process-tree.js';
import { ratiosBetween, type Result, round } from '../harness/results.js';
import { LatencyRecorder, type LatencySummary, median, medianLatency, spreadOf } from '../harness/statistics.js';
import { specOf } from './dialects.js';
import { closedPlan } from './plans.js';
import { stormLogins } from './stress.js';
import type { Suite } from './suite.js';

const CONNECTIONS = 4;
const LOOK_UP = 'second-factor-look-up';

type Run = { lookUps: number; latencyMs: LatencySummary; seconds: number; cpuMicros: number; mongodCpuMicros: number };

/** Runs only the lookup of second factors during a login, in this process. */
async function lookUp(context: BenchmarkContext, model: Model<SecondFactor>, seconds: number): Promise<Run> {
  const mongodCpu = () => readTreeUsage(context.mongod!.pid).cpuMicros;
  const [began, cpu, mongod] = [performance.now(), process.cpuUsage(), mongodCpu()];
  const latency = new LatencyRecorder();
  const lane = async (): Promise<void> => {
    while (performance.now() - began < seconds * 1_000) {
      const sentAt = performance.now();
      await findOne(model, { _id: new ObjectId(), enabledAt: { $ne: null } }, { _id: 1 });
      latency.add(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const { user, system } = process.cpuUsage(cpu);
  return {
    lookUps: latency.size,
    latencyMs: latency.summary(),
    seconds: (performance.now() - began) / 1_000,
    cpuMicros: user + system,
    mongodCpuMicros: mongodCpu() - mongod,
  };
}

function resultOf(runs: Run[]): Result {
  const cpu = runs.map(({ cpuMicros, lookUps }) => cpuMicros / lookUps);
  const rates = runs.map(({ lookUps, seconds }) => lookUps / seconds);
  const perSecond = round(median(rates), 1);
  return {
    suite: LOGIN.name,
    subject: LOOK_UP,
    connections: CONNECTIONS,
    pipelining: null,
    seconds: round(
      runs.reduce((sum, { seconds }) => sum + seconds, 0),
      1,
    ),
    runs: runs.length,
    requests: runs.reduce((sum, { lookUps }) => sum + lookUps, 0),
    requestsPerSecond: perSecond,
    succeededPerSecond: perSecond,
    cpuMicrosPerRequest: round(median(cpu), 1),
    mongodCpuMicrosPerRequest: round(median(runs.map((run) => run.mongodCpuMicros / run.lookUps)), 1),
    latencyMs: medianLatency(runs.map((run) => run.latencyMs)),
    errors: 0,
    timeouts: 0,
    non2xx: 0,
    bytesPerResponse: 0,
    rssMiB: null,
    spread: { requestsPerSecond: round(spreadOf(rates), 3), cpuMicrosPerRequest: round(spreadOf(cpu), 3) },
    generatorCpuShare: 0,
  };
}

async function run(context: BenchmarkContext): Promise<void> {
  const dataset = await context.dataset();
  const logins = await stormLogins(dataset);
  const contest = await runContest(context, {
    suite: LOGIN.name,
    contenders: [
      {
        subject: 'product',
        spec: () => specOf('product', dataset, { env: { RATE_LIMIT_AUTH_PER_MINUTE: '1000000' } }),
        plan: () => closedPlan(context, logins, { connections: CONNECTIONS }),
      },
    ],
  });
  if (!context.wantsSubject(LOOK_UP)) return;
  const dbName = dataset.product.databaseName;
  const connection = await createConnection(context.mongod!.uri, { dbName, autoCreate: false }).asPromise();
  try {
    const model = connection.model<SecondFactor>(SecondFactor.name, SecondFactorSchema);
    await lookUp(context, model, context.options.warmupSeconds);
    const runs: Run[] = [];
    while (runs.length < context.options.runs) runs.push(await lookUp(context, model, context.options.seconds));
    const result = resultOf(runs);
    context.add(result);
    for (const login of contest) context.ratios.push(...ratiosBetween(result, login));
  } finally {
    await connection.close();
  }
}

export const LOGIN: Suite = {
  name: 'login',
  title: 'Login',
  question:
    'Accounts without a second factor sign in, four at a time, and what of that is the look-up for one: a request of that subject is the look-up alone.',
  run,
};
