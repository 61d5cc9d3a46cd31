import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchmarkContext } from '../context.js';
import { captureAnswers } from '../harness/capture.js';
import type { Contender } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import type { SubjectSpec } from '../harness/subject.js';
import type { PlanInput } from '../harness/contest.js';

/** Runs `node-http` with the product's responses to these requests, captured from the running product of this contest. */
export function nodeHttpContender(
  context: BenchmarkContext,
  product: SubjectSpec,
  requests: () => Promise<PreparedRequest[]>,
  plan: (requests: PreparedRequest[]) => PlanInput,
): Contender {
  return {
    subject: 'node-http',
    spec: async () => {
      const { url } = await context.subjects.get(product);
      const paths = [...new Set((await requests()).map((request) => request.path))];
      const answers = JSON.stringify(await captureAnswers(url, paths));
      const name = createHash('sha1').update(answers).digest('hex').slice(0, 12);
      const answersFile = join(context.directory, `answers-${name}.json`);
      await writeFile(answersFile, answers);
      return { kind: 'peer', name: 'node-http', database: '', answersFile };
    },
    plan: async () => plan(await requests()),
  };
}
