import remarkBreaks from 'remark-breaks';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkCjkStrikethrough from 'remark-cjk-friendly-gfm-strikethrough';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** The syntax of posts and comments: GitHub's, where a line end is a line break. */
export const markdown = unified()
  .use(remarkParse)
  .use(remarkGfm, { singleTilde: false })
  // emphasis beside punctuation of Chinese, Japanese and Korean
  .use(remarkCjkFriendly)
  .use(remarkCjkStrikethrough, { singleTilde: false })
  .use(remarkBreaks)
  .freeze();
