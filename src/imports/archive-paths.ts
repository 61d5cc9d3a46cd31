import { posix } from 'node:path';
import type { Archive } from './archive.js';

/** Finds the files of an archive that its texts name. */
export class ArchivePaths {
  private readonly paths: ReadonlySet<string>;
  private readonly byName = new Map<string, string[]>();

  constructor({ entries }: Pick<Archive, 'entries'>) {
    this.paths = new Set(entries.map(({ path }) => path));
    for (const path of this.paths) {
      const name = posix.basename(path);
      this.byName.set(name, [...(this.byName.get(name) ?? []), path]);
    }
  }

  /**
   * Returns the file that an address means: relative to its text, to the archive, or the only file whose path ends with it.
   * @param entry path of the text
   */
  find(address: string, entry: string): string | null {
    const path = pathOf(address);
    if (path === null) return null;
    const beside = posix.join(posix.dirname(entry), path);
    const whole = posix.normalize(path).replace(/^(?:\.\.\/|\/)+/, '');
    for (const one of [beside, whole]) if (this.paths.has(one)) return one;
    const ending = (this.byName.get(posix.basename(whole)) ?? []).filter((one) => one.endsWith(`/${whole}`));
    return ending.length === 1 ? ending[0]! : null;
  }
}

/** Returns the decoded path of an address, without its host. */
function pathOf(address: string): string | null {
  const [bare = ''] = address.split(/[?#]/, 1);
  const path = bare.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  if (path === '' || path.endsWith('/')) return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
