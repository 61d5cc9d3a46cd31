// The module of the CPU pool that renders Markdown to HTML. Only threads of the pool load this module.
import { setFilesUrl } from '../common/own-files.js';
import { loadCodec } from './body-codec.js';
import type { People } from './mentions.js';
import type { OwnImages } from './post-process.js';
import { renderMarkdown, renderPost } from './render-markdown.js';
import { type EncodedPost, encodePost } from './rendered-html.js';

export type RenderJob = { markdown: string; images: OwnImages; people: People; filesUrl: string };

await loadCodec();

// KaTeX logs a line for every unknown character, so an author could flood the log.
console.warn = () => undefined;

const SAMPLE =
  '# A\n\n*b* **c** ~~d~~ [e](f) <i>g</i> $h^2$\n\n$$\n\\frac{i}{j}\n$$\n\n- k\n- [ ] l\n\n|m|n|\n|-|-|\n|o|p|\n\n> q[^1]\n\n[^1]: r\n';

// Warms up the code, because cold code takes ten times as long. The time limit of a text excludes loading this module.
for (let times = 0; times < 30; times++) renderMarkdown(SAMPLE);

/** @param filesUrl for `setFilesUrl`, because a thread has its own settings */
export function run({ markdown, images, people, filesUrl }: RenderJob): EncodedPost {
  setFilesUrl(filesUrl);
  return encodePost(renderPost(markdown, images, people));
}
