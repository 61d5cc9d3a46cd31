import remarkBreaks from 'remark-breaks';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkCjkStrikethrough from 'remark-cjk-friendly-gfm-strikethrough';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** The Markdown of posts and comments: GitHub's, where a line end is a line break. */
export const markdown = unified()
  .use(remarkParse)
  .use(remarkGfm, { singleTilde: false })
  // Parses emphasis beside Chinese, Japanese and Korean punctuation.
  .use(remarkCjkFriendly)
  .use(remarkCjkStrikethrough, { singleTilde: false })
  .use(remarkBreaks)
  .freeze();
