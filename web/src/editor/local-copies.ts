import type { Fields } from './fields.js';

export type LocalCopy = {
  fields: Fields;
  /** version of the draft that this text changes; 0 before the first save, CONFLICT if there is a later one */
  version: number;
  /** idempotency key of the creation */
  key: string;
  writtenAt: number;
};

export const CONFLICT = -1;

/** The copies of a page have their own key, so that two tabs never overwrite the text of each other. */
const PAGE = newKey();
const PREFIX = 'opencanvas:draft:';

/** Texts that the server does not have yet, in `localStorage`: they survive a reload, a crash and an expired session. */
export const localCopies = {
  /** @param name id of the draft, or of the account before the first save */
  write(name: string, copy: Omit<LocalCopy, 'writtenAt'>): void {
    ifStored(() => localStorage.setItem(keyOf(name), JSON.stringify({ ...copy, writtenAt: Date.now() })));
  },

  remove(name: string): void {
    ifStored(() => localStorage.removeItem(keyOf(name)));
  },

  /** Returns the latest copy of a draft by any page, and removes it: this page writes it again. */
  take(name: string): LocalCopy | undefined {
    return ifStored(() => {
      const found = Object.keys(localStorage)
        .filter((key) => key.startsWith(`${PREFIX}${name}:`))
        .map((key) => ({ key, copy: JSON.parse(localStorage.getItem(key)!) as LocalCopy }))
        .sort((a, b) => b.copy.writtenAt - a.copy.writtenAt);
      if (found[0] !== undefined) localStorage.removeItem(found[0].key);
      return found[0]?.copy;
    });
  },
};

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function keyOf(name: string): string {
  return `${PREFIX}${name}:${PAGE}`;
}

/** Without storage, or if it is full, the text is on this page only. */
function ifStored<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
