import { useState } from 'preact/hooks';
import { Action } from '../account/action.js';
import type { Comment, Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { LikeButton } from './buttons.js';
import { CommentEditor, CommentForm } from './comment-form.js';
import { ReportButton } from './report-button.js';

type Props = {
  id: string;
  /** undefined while the post is locked */
  postId: string | undefined;
  likes: number;
  vote: Schemas['ViewerComment']['vote'];
  isOwn: boolean;
  created: (reply: Comment, html: string) => void;
  /** called with the new HTML, and without after a deletion */
  changed: (html?: string) => void;
};

/** Like, reply, and report, or for an own comment: edit and delete. */
export function CommentButtons({ id, postId, likes, vote, isOwn, created, changed }: Props) {
  const texts = useTexts().viewer;
  const [isReplying, setReplying] = useState(false);
  const [edited, setEdited] = useState<Comment>();
  const comment = { params: { path: { id } } };
  return (
    <>
      <span class="own">
        <LikeButton
          likes={likes}
          vote={vote}
          send={(isOn) =>
            isOn
              ? api.PUT('/v1/comments/{id}/vote', { ...comment, body: { value: 'like' } })
              : api.DELETE('/v1/comments/{id}/vote', comment)
          }
        />
        {postId !== undefined && (
          <button type="button" aria-expanded={isReplying} onClick={() => setReplying(!isReplying)}>
            {texts.replyTo}
          </button>
        )}
        {!isOwn && <ReportButton kind="comment" id={id} />}
        {isOwn && (
          <>
            <button
              type="button"
              aria-expanded={edited !== undefined}
              onClick={() => void unwrap(api.GET('/v1/comments/{id}', comment)).then(setEdited)}
            >
              {texts.edit}
            </button>
            <Action
              label={texts.remove}
              confirm={texts.removeComment}
              send={() => api.DELETE('/v1/comments/{id}', comment)}
              done={() => changed()}
            />
          </>
        )}
      </span>
      {isReplying && postId !== undefined && (
        <CommentForm
          postId={postId}
          parentId={id}
          created={(reply, html) => {
            setReplying(false);
            created(reply, html);
          }}
        />
      )}
      {edited !== undefined && (
        <CommentEditor
          comment={edited}
          changed={(html) => {
            setEdited(undefined);
            changed(html);
          }}
        />
      )}
    </>
  );
}
