import { useState } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { failureOf, useAction } from '../account/use-action.js';
import { type Post, postPath } from '../api.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import type { DraftSync } from './draft-sync.js';

/** Publishes the saved text, adds the post to a collection, and opens the post. */
export function PublishForm({ sync, collectionId }: { sync: DraftSync; collectionId: string | undefined }) {
  const texts = useTexts();
  const { run, isBusy, failure } = useAction();
  const [problem, setProblem] = useState<string>();
  const [post, setPost] = useState<Post>();

  const publish = async (): Promise<void> => {
    const isSaved = await sync.flush();
    setProblem(isSaved ? undefined : texts.editor.saveFirst);
    if (!isSaved) return;
    const params = { path: { id: sync.card!.id }, header: { 'If-Match': sync.ifMatch } };
    await run(
      () => api.POST('/v1/drafts/{id}/publish', { params }),
      (data) => {
        sync.close();
        void open(data!);
      },
    );
  };
  const open = async (published: Post): Promise<void> => {
    const notAdded = collectionId && (await addTo(collectionId, published.id));
    setPost(published);
    if (notAdded) setProblem(texts.editor.notAdded(notAdded));
    else location.assign(published.visibility === 'private' ? '/drafts?tab=posts' : postPath(published));
  };
  const addTo = async (id: string, postId: string): Promise<string | undefined> => {
    const params = { path: { id, postId } };
    try {
      const { error, response } = await api.PUT('/v1/collections/{id}/posts/{postId}', { params, body: {} });
      return response.ok ? undefined : failureOf(error as Problem, response, texts).text;
    } catch {
      return texts.offline;
    }
  };

  const isPossible = !isBusy && !sync.isEmpty && sync.state.kind !== 'gone';
  const errors =
    failure === undefined ? [] : [failure.text, ...Object.values(failure.fields).map((text) => `${text}.`)];
  return (
    <div class="publish">
      {post === undefined ? (
        <button type="button" class="button" aria-disabled={!isPossible} onClick={() => void (isPossible && publish())}>
          {sync.card?.postId == null ? texts.editor.publish : texts.editor.publishEdit}
        </button>
      ) : (
        <a class="button" href={postPath(post)}>
          {texts.editor.openPost}
        </a>
      )}
      <p role="alert" class="failure small">
        {problem ?? errors.join(' ')}
      </p>
    </div>
  );
}
