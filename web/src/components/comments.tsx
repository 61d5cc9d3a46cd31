import type { Comment } from '../api.js';
import { AuthorLink, Avatar } from './author.js';
import { useTexts } from './context.js';
import { Count } from './card.js';
import { trusted } from '../trusted.js';
import { Time } from './time.js';

/** A comment with its loaded replies. Its HTML is undefined if it was deleted. */
export type Branch = { comment: Comment; html: string | undefined; replies: Branch[] };

export function CommentTree({ branches }: { branches: Branch[] }) {
  if (branches.length === 0) return null;
  return (
    <ol class="thread">
      {branches.map((branch) => (
        <CommentItem key={branch.comment.id} branch={branch} />
      ))}
    </ol>
  );
}

export function CommentItem({ branch: { comment, html, replies } }: { branch: Branch }) {
  const texts = useTexts();
  const { author, stats } = comment;
  const missing = stats.repliesCount - replies.length;
  return (
    <li id={`comment-${comment.id}`}>
      <article
        class="comment"
        {...(html !== undefined && { 'data-comment': comment.id, 'data-likes': stats.likesCount })}
        data-author={author?.id}
      >
        {author !== null && (
          <header class="meta">
            <Avatar author={author} size={24} />
            <AuthorLink author={author} />
            <Time at={comment.createdAt} />
            {comment.isEdited && <span>{texts.edited}</span>}
          </header>
        )}
        {html === undefined ? (
          <p class="empty">{texts.deletedComment}</p>
        ) : (
          // The sanitized HTML of the server (docs/html.md).
          <div class="prose small" dir="auto" dangerouslySetInnerHTML={{ __html: trusted(html) }} />
        )}
        <p class="stats">{stats.likesCount > 0 && <Count kind="likes" count={stats.likesCount} />}</p>
      </article>
      <CommentTree branches={replies} />
      {missing > 0 && (
        <p class="more">
          <a href={`?replies=${comment.id}#comment-${comment.id}`}>{texts.moreReplies(missing)}</a>
        </p>
      )}
    </li>
  );
}
