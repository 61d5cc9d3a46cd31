import type { PostType } from '../../src/posts/post-types.js';

/** A series of the demo writer. The example post is in `explained`. */
export type DemoSeries = 'explained' | 'letters';

/** A post of a demo account, written by hand. */
export interface DemoPost {
  /** Index in DEMO_ACCOUNTS. */
  author: number;
  type: PostType;
  /** Subject of the comments: the tag of a topic, in a language that has the topic. */
  topic: string;
  language: string;
  title: string;
  subtitle: string | null;
  tags: readonly string[];
  /** One of the forms that `textOfGenerated` reads. */
  markdown: string;
  series: DemoSeries | null;
}

type About = Pick<DemoPost, 'type' | 'topic' | 'title' | 'tags'> &
  Partial<Pick<DemoPost, 'author' | 'language' | 'subtitle' | 'series'>>;

/** A post of the demo writer in English, unless `about` says otherwise. Fences of code are `'''`, because a template has backticks. */
export function demoPost(about: About, markdown: string): DemoPost {
  const text = `${markdown.trim().replaceAll("'''", '```')}\n`;
  return { author: 0, language: 'en', subtitle: null, series: null, ...about, markdown: text };
}
