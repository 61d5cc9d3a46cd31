import type { BenchmarkContext } from '../context.js';
import { runContest, type Contender } from '../harness/contest.js';
import { round } from '../harness/results.js';
import type { SubjectSpec } from '../harness/subject.js';
import type { Suite } from './suite.js';
import { COUNTING_ALONE, voting, WriteLoad, writePlan } from './writes.js';

const NAME = 'vote-hosts';
/** Each of two hosts can fill its own batch. A hundred connections would be one batch, or two half-full ones. */
const CROWD = 400;
const DIRECT = 'product@one-host-direct';
const ONE = 'product@one-host';
const TWO = 'product@two-hosts';

type Transactions = { aborted: number; committed: number };

async function transactionsOf({ mongod }: BenchmarkContext): Promise<Transactions> {
  const status = await mongod!.client.db('admin').command({ serverStatus: 1 });
  const { totalAborted, totalCommitted } = status.transactions as Record<`total${'Aborted' | 'Committed'}`, number>;
  return { aborted: Number(totalAborted), committed: Number(totalCommitted) };
}

export const VOTE_HOSTS: Suite = {
  name: NAME,
  title: 'Votes at two hosts',
  question: `Votes on many posts, of ${CROWD} connections, at one host and at two on one database, of one web process each, behind an nginx that hashes by post: two may not collide. CPU is with nginx; one host without it shows what it costs.`,
  async run(context) {
    const dataset = await context.dataset();
    const load = await WriteLoad.prepare(context, dataset);
    const database = dataset.product.databaseName;
    const env = COUNTING_ALONE;
    const total: Transactions = { aborted: 0, committed: 0 };
    const contender = (subject: string, spec: SubjectSpec, salt: number): Contender => ({
      subject,
      spec: () => spec,
      plan: (_running, run) => writePlan(context, load.requests(voting, Infinity, run * 15_485_863 + salt), CROWD),
    });
    const results = await runContest(context, {
      suite: NAME,
      contenders: [
        contender(DIRECT, { kind: 'product', database, workers: 1, env }, 0),
        contender(ONE, { kind: 'fleet', database, hosts: 1, env }, 7_919),
        {
          ...contender(TWO, { kind: 'fleet', database, hosts: 2, env }, 15_838),
          beside: async () => {
            const before = await transactionsOf(context);
            return async () => {
              const after = await transactionsOf(context);
              total.aborted += after.aborted - before.aborted;
              total.committed += after.committed - before.committed;
            };
          },
        },
      ],
      ratios: [
        [TWO, ONE],
        [ONE, DIRECT],
      ],
    });
    const two = results.find(({ subject }) => subject === TWO);
    if (two === undefined) return;
    const abortedShare = round(total.aborted / Math.max(1, total.aborted + total.committed), 4);
    two.extra = { ...two.extra, abortedShare };
    context.ratios.push({ suite: NAME, subject: TWO, against: ONE, metric: 'abortedShare', value: abortedShare });
    const percent = round(100 * abortedShare, 2);
    context.progress.line(`${NAME}         ${percent} % of ${total.aborted + total.committed} transactions aborted`);
  },
};
