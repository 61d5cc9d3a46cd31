// The module of the CPU pool that converts HTML to Markdown. Only threads of the pool load this module.
import { htmlToMarkdown } from './html-to-markdown.js';

const SAMPLE =
  '<h2>A</h2><p>b <b>c</b><br><a href="https://d.example">e</a> <kbd>f</kbd></p><ul><li>g</li></ul><pre>h</pre>';

// Warms up the code, because cold code takes ten times as long.
for (let times = 0; times < 30; times++) htmlToMarkdown(SAMPLE);

export function run({ html }: { html: string }): ReturnType<typeof htmlToMarkdown> {
  return htmlToMarkdown(html);
}
