// The CPU pool task that renders comments. Only worker threads load it.
import type { People } from '../rendering/mentions.js';
import { renderComment, type RenderedComment } from './comment-markdown.js';

// Warms up the JIT: cold code takes ten times as long, and only tasks have a timeout, not the loading of this module.
for (let times = 0; times < 30; times++) renderComment('*a* **b** `c` [d](e)\n\n> f\n\n- g\n\n|h|i|\n|-|-|\n|j|k|\n');

export function run({ texts, people }: { texts: string[]; people: People }): RenderedComment[] {
  return texts.map((text) => renderComment(text, people));
}
