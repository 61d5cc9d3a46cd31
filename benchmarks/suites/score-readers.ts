import { cliEnvironment } from '../harness/cli-environment.js';
import { runCliProcess } from '../harness/cli-process.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, specOf } from './dialects.js';
import { moveRanks } from './moved-ranks.js';
import { openPlan } from './plans.js';
import type { Suite } from './suite.js';

const HOT_READS_PER_SECOND = 500;
const SECONDS = 5;

/** The job must not be felt by those who read. */
export const SCORE_JOB_READERS: Suite = {
  name: 'score-job-readers',
  title: 'Readers during the score job',
  question: `Hot reads at ${HOT_READS_PER_SECOND}/s (open loop), alone and while every post is scored and rewritten: p99 of the reads.`,
  async run(context) {
    const dataset = await context.dataset();
    const steady = { fromPerSecond: HOT_READS_PER_SECOND, toPerSecond: HOT_READS_PER_SECOND };
    const phases = [
      { name: 'warm-up', seconds: 1, ...steady, isTimed: false },
      { name: '', seconds: SECONDS, ...steady, isTimed: true },
    ];
    const spec = () => specOf('product', dataset);
    const plan: Contender['plan'] = async () => {
      const pages = new FeedPages('product', await dataset.productOrder(), context);
      // the order is what the job changes
      const page: PreparedRequest = { ...pages.at(0), expect: { status: 200 } };
      return openPlan([page], phases);
    };
    const env = cliEnvironment(context.mongod!.uri, dataset.product.databaseName, context.directory);
    const jobs: { startedAt: number; seconds: number; loadedFor: number }[] = [];
    const beside = async () => {
      await moveRanks(dataset.product, 1);
      await context.mongod!.client.db('admin').command({ fsync: 1 });
      const startedAt = performance.now();
      const job = runCliProcess(
        { args: ['rank', 'run'], env, mongodPid: null, cwd: context.directory },
        context.registry,
      );
      // the await below reports a failure
      job.catch(() => undefined);
      return async () => {
        const loadedFor = (performance.now() - startedAt) / 1_000;
        jobs.push({ startedAt, seconds: (await job).seconds, loadedFor });
      };
    };
    const results = await runContest(context, {
      suite: 'score-job-readers',
      contenders: [
        { subject: 'product@idle', spec, plan },
        { subject: 'product@scoring', spec, plan, beside, isCpuShared: true },
      ],
      ratios: [['product@scoring', 'product@idle']],
    });
    const scoring = results.find(({ subject }) => subject === 'product@scoring');
    const covered = jobs.map(({ seconds, loadedFor }) => Math.min(1, seconds / loadedFor).toFixed(2)).join(', ');
    if (scoring) scoring.notes = [...(scoring.notes ?? []), `share of the load during which the job ran: ${covered}`];
  },
};
