/** The space for a text in one place of a request, and the size of a piece of it there. */
export type Room = { size: number; sizeOf: (piece: string) => number };

/** A string of a JSON body. */
export const inBody = (size: number): Room => ({
  size,
  sizeOf: (piece) => Buffer.byteLength(JSON.stringify(piece)) - 2,
});

export type HostileText = { name: string; text: string };

const PIECES = [
  ...' \t\n_-"\'`,.;:/\\|#%&=+*<>()[]{}@!?~$^aA0éΣİß漢ﷺ한🧵',
  // Marks of two combining classes, and invisible characters.
  '\u0315', '\u0300', '\u200b', '\u200d', '\u00a0', '\u2028', '\ufeff', '\u0000', '%25', '\\u',
]; // prettier-ignore

/** Characters with a meaning in a grammar of the server or of a library. */
const STRUCTURE = [...' -",:/\\%', '\u0300', '\u0315', 'a'];

/** No rule allows this character at the end, so a pattern has to try every other way. */
const LAST = '!';

/** Each piece repeated to the maximum length, after a valid prefix. */
export function runs(room: Room, prefix = ''): HostileText[] {
  return PIECES.map((piece) => ({
    name: `${prefix} and a run of ${nameOf(piece)}`,
    text: prefix + fill(piece, room, left(room, prefix)) + LAST,
  }));
}

/** Two pieces: a run of the first and a longer run of the second, then both alternating. */
export function pairs(room: Room, pieces: string[] = STRUCTURE): HostileText[] {
  const quarter = left(room, '') / 4;
  return pieces.flatMap((one) =>
    pieces
      .filter((other) => other !== one)
      .map((other) => ({
        name: `${nameOf(one)} before ${nameOf(other)}`,
        text: fill(one, room, quarter) + fill(other, room, 2 * quarter) + fill(one + other, room, quarter) + LAST,
      })),
  );
}

/** As many lines as fit, long enough to show superlinear work on one line. */
export function lines(room: Room): HostileText[] {
  return pairs({ ...room, size: LINE }, OF_MARKDOWN).map(({ name, text }) => ({
    name: `lines of ${name}`,
    text: fill(`${text}\n`, room, room.size),
  }));
}
const LINE = 3_990;
const OF_MARKDOWN = [...' -:|*[\\`'];

/** The maximum length. */
export function longest(room: Room): HostileText[] {
  return nothingBut([' ', 'a', '"', '\n'], room);
}

/** The longest text of the most expensive pieces. */
export function costliest(room: Room): HostileText[] {
  const marks = '\u0315'.repeat(15) + '\u0300'.repeat(15);
  return [...nothingBut(['ﷺ', '漢', '🧵', `${marks}a`], room), ...pairs(room, ['\u0315', '\u0300'])];
}

function nothingBut(pieces: string[], room: Room): HostileText[] {
  return pieces.map((piece) => ({ name: `nothing but ${nameOf(piece)}`, text: fill(piece, room, room.size) }));
}

function left({ size, sizeOf }: Room, prefix: string): number {
  return Math.max(0, size - [...prefix].reduce((sum, letter) => sum + sizeOf(letter), sizeOf(LAST)));
}

function fill(piece: string, { sizeOf }: Room, size: number): string {
  return piece.repeat(
    size /
      Math.max(
        1,
        [...piece].reduce((sum, letter) => sum + sizeOf(letter), 0),
      ),
  );
}

function nameOf(piece: string): string {
  const shown = piece.length > 8 ? `${piece.slice(0, 8)}…` : piece;
  return JSON.stringify(shown).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
