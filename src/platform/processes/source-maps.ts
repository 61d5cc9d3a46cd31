import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';

/** A position in a frame of a stack. */
const POSITION = /(file:\/\/\/[^()]+\.js):(\d+):(\d+)/;

/** Positions of sources by position in the bundle. */
const known = new LRUCache<string, string>({ max: 1_000 });

/**
 * Names the sources in the stacks of errors, in place of the bundle, and reads source maps only for that. With --enable-source-maps, Node
 * reads all of them at the start: a fifth of its CPU, and 10 MB in each process.
 */
export function mapStacks(): void {
  Error.prepareStackTrace = (error, frames: readonly { toString(): string }[]) => {
    const maps = new Map<string, SourceMap | null>();
    const lines = frames.map((frame) => frame.toString().replace(POSITION, (...match) => sourceOf(match, maps)));
    return [String(error), ...lines].join('\n    at ');
  };
}

/** Returns a function from a position in a file to `source:line:column`, or to the position if the file has no source map. */
export function sourceMapper(): (url: string, line: number, column: number) => string {
  const maps = new Map<string, SourceMap | null>();
  return (url, line, column) => sourceOf([`${url}:${line}:${column}`, url, String(line), String(column)], maps);
}

function sourceOf([position, url, line, column]: string[], maps: Map<string, SourceMap | null>): string {
  const before = known.get(position!);
  if (before !== undefined) return before;
  const file = fileURLToPath(url!);
  let map = maps.get(file);
  if (map === undefined) maps.set(file, (map = readMap(`${file}.map`)));
  const entry = map?.findEntry(Number(line) - 1, Number(column) - 1);
  const source =
    entry !== undefined && 'originalSource' in entry
      ? `${resolve(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : position!;
  known.set(position!, source);
  return source;
}

function readMap(file: string): SourceMap | null {
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload) : null;
}
