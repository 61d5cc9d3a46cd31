// The CPU pool task that compares two texts. Only worker threads load it.
import { structuredPatch } from 'diff';
import type { DiffHunkDto } from './revision.dto.js';

export type DiffInput = { from: string; to: string };

export function run({ from, to }: DiffInput): DiffHunkDto[] {
  // Without a final line break, the diff would contain an extra line that marks the last line.
  const { hunks } = structuredPatch('', '', ended(from), ended(to), '', '', { context: 3 });
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    return { oldStart, oldLines, newStart, newLines, lines };
  });
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
