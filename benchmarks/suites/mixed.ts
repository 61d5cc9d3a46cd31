import { randomPositions } from '../data/dataset.js';
import { runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, orderOf, specOf, type ReadingSubject } from './dialects.js';
import type { Suite } from './suite.js';
import { commenting, COUNTING_ALONE, saving, type Steps, voting, WriteLoad, writePlan } from './writes.js';

/** Fewer where nine reads stand beside every write. */
const PAIRS = 2_000;

export const MIXED: Suite = {
  name: 'mixed',
  title: 'Mixed',
  question: '90 % reads (feed, posts, comments, hot and cold), 10 % votes, saves and comments.',
  async run(context) {
    const dataset = await context.dataset();
    const load = await WriteLoad.prepare(context, dataset);
    const contender = (subject: ReadingSubject) => ({
      subject,
      spec: () => specOf(subject, dataset, { env: COUNTING_ALONE }),
      plan: async (_running: unknown, run: number) => {
        const order = await orderOf(subject, dataset);
        const pages = new FeedPages(subject, order, context);
        const spread = randomPositions(order.posts.length - 1, 11 + run);
        const read = (number: number): PreparedRequest => {
          const position = spread[number % spread.length]!;
          const { id } = order.posts[position % Math.min(1_000, order.posts.length)]!;
          if (number % 9 < 5) return pages.at(0);
          if (number % 9 === 5) return pages.at(position + 1);
          if (number % 9 === 6) return { method: 'GET', path: `/v1/posts/${id}/comments`, expect: { status: 200 } };
          return { method: 'GET', path: `/v1/posts/${id}`, expect: { status: 200, members: { id } } };
        };
        const steps: Steps = (actor, target) => [
          ...voting(actor, target),
          ...saving(actor, target),
          ...commenting(actor, target),
        ];
        let number = run * 1_000_003;
        const perActor = load
          .requests(steps, Infinity, run, PAIRS)
          .map((writes) => writes.flatMap((write) => [write, ...Array.from({ length: 9 }, () => read(number++))]));
        return writePlan(context, perActor);
      },
    });
    await runContest(context, { suite: 'mixed', contenders: [contender('express-optimised'), contender('product')] });
  },
};
