import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const FOLDER = 'src/moderation';
const MENTION = /moderation_actions|\bModerationAction\b/;

describe('the log of moderation', () => {
  const sources = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' }).trim().split('\n');
  // A migration changes the form of rows, not what they say.
  const code = sources.filter((file) => file.endsWith('.ts') && !file.startsWith('src/migrations/'));
  const mentions = code.filter((file) => MENTION.test(readFileSync(file, 'utf8')));

  it('belongs to one folder', () => {
    expect(mentions.filter((file) => !file.startsWith(`${FOLDER}/`))).toEqual([]);
  });

  it('has inserts and reads only', () => {
    const services = mentions.filter((file) => file.endsWith('.service.ts'));
    expect(services).toEqual([`${FOLDER}/moderation-history.service.ts`, `${FOLDER}/moderation-log.service.ts`]);

    const methodsOf = (file: string): (string | undefined)[] =>
      [...readFileSync(file, 'utf8').matchAll(/this\.actions(?:\.(\w+))?/g)].map(([, method]) => method);
    const [history, log] = services.map(methodsOf);
    // The history passes its model to functions that read.
    expect(new Set(history)).toEqual(new Set([undefined]));
    expect(log).toEqual(['insertOne']);
    for (const file of services)
      expect(readFileSync(file, 'utf8')).not.toMatch(/update|delete(?:One|Many)|bulkWrite|replace/);
  });
});
