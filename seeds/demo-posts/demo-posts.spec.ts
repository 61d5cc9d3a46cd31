import { renderPost } from '../../src/rendering/render-markdown.js';
import { textOfGenerated } from '../text/generated-text.js';
import { topicsIn } from '../text/sentence-pool.js';
import { topicOf } from '../words/topics/topics.js';
import { DEMO_POSTS } from './demo-posts.js';

describe('posts by hand', () => {
  it.each(DEMO_POSTS.map((post) => [post.title, post] as const))(
    'have the text that the server reads: %s',
    (_, post) => {
      const { preview, html, read } = renderPost(post.markdown);
      expect(textOfGenerated(post.markdown)).toEqual({ preview, words: html.words, read });
    },
  );

  it('have a subject for comments in their language', () => {
    for (const { title, language, topic } of DEMO_POSTS)
      expect([title, topicsIn(language).includes(topicOf(topic))]).toEqual([title, true]);
  });
});
