import { useState } from 'preact/hooks';
import { Done } from '../account/account-page.js';
import { RequestForm, TextField } from '../account/request-form.js';
import type { Comment } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { proseOf } from '../prose.js';

type Props = {
  postId: string;
  parentId?: string;
  /** called with the comment, and its HTML */
  created: (comment: Comment, html: string) => void;
};

/** Writes a comment, or a reply. */
export function CommentForm({ postId, parentId, created }: Props) {
  const texts = useTexts();
  const { comment, reply, send, commentHint, held } = texts.viewer;
  const [sent, setSent] = useState(0);
  const [isHeld, setHeld] = useState(false);
  const done = async (one: Comment): Promise<void> => {
    setHeld(one.removal !== undefined);
    setSent((count) => count + 1);
    if (one.removal === undefined) created(one, await htmlOf(one.id, texts));
  };
  return (
    <>
      <RequestForm
        key={sent}
        action={send}
        send={({ content = '' }) =>
          api.POST('/v1/posts/{id}/comments', {
            params: { path: { id: postId } },
            body: { content, ...(parentId !== undefined && { parentId }) },
          })
        }
        done={(one) => void done(one!)}
      >
        <TextField name="content" label={parentId === undefined ? comment : reply} hint={commentHint} rows={3} />
      </RequestForm>
      {isHeld && <Done>{held}</Done>}
    </>
  );
}

/** Changes the text of an own comment. */
export function CommentEditor({ comment, changed }: { comment: Comment; changed: (html: string) => void }) {
  const texts = useTexts();
  const params = { path: { id: comment.id } };
  return (
    <RequestForm
      action={texts.viewer.send}
      send={({ content = '' }) => api.PATCH('/v1/comments/{id}', { params, body: { content } })}
      done={() => void htmlOf(comment.id, texts).then(changed)}
    >
      <TextField
        name="content"
        label={texts.viewer.comment}
        hint={texts.viewer.commentHint}
        rows={3}
        value={comment.content ?? ''}
      />
    </RequestForm>
  );
}

async function htmlOf(id: string, texts: Parameters<typeof proseOf>[1]): Promise<string> {
  const { data } = await unwrap(api.GET('/v1/comments/html', { params: { query: { ids: [id] } } }));
  return proseOf(data[0]?.html ?? '', texts).html;
}
