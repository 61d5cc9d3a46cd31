import { Writable } from 'node:stream';
import { createSeedProgress } from './seed.command.js';

describe('the progress of a seed without a terminal', () => {
  it('is one line for every tenth, for any number of batches, so that it does not flood a log', () => {
    const lines: string[] = [];
    const log = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }) as unknown as NodeJS.WriteStream;
    const progress = createSeedProgress(log, () => 0);
    const total = 100_000;
    const at = (written: number) => ({ collection: 'posts', writtenInCollection: written, written, total }) as const;
    for (let written = 0; written <= total; written += 100) {
      progress.update({ phase: 'documents', ...at(written), share: (written / total) * 0.9 });
    }
    progress.update({ phase: 'indexes', ...at(total), share: 0.9 });
    progress.update({ phase: 'done', ...at(total), share: 1 });
    progress.stop();
    expect(lines.length).toBeGreaterThan(9);
    expect(lines.length).toBeLessThanOrEqual(13);
    expect(lines[0]).toMatch(/^ {2}0% {2}posts: 0 of 100000/);
    expect(lines.at(-1)).toMatch(/^100% {2}100000 documents/);
  });
});
