// The module of the CPU pool that compares two texts; only its threads load it.
import { structuredPatch } from 'diff';
import type { DiffHunkDto } from './revision.dto.js';

export type DiffInput = { from: string; to: string };

export function run({ from, to }: DiffInput): DiffHunkDto[] {
  // otherwise a last line without a line break would be marked by a line of its own
  const { hunks } = structuredPatch('', '', ended(from), ended(to), '', '', { context: 3 });
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    return { oldStart, oldLines, newStart, newLines, lines };
  });
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
