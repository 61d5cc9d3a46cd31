// The module of the CPU pool that renders comments; only its threads load it.
import type { People } from '../rendering/mentions.js';
import { renderComment, type RenderedComment } from './comment-markdown.js';

// Cold code takes ten times as long, and the time of a task is limited; the time to load this module is not.
for (let times = 0; times < 30; times++) renderComment('*a* **b** `c` [d](e)\n\n> f\n\n- g\n\n|h|i|\n|-|-|\n|j|k|\n');

export function run({ texts, people }: { texts: string[]; people: People }): RenderedComment[] {
  return texts.map((text) => renderComment(text, people));
}
