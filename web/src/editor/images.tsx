import type { EditorView } from '@codemirror/view';
import { useState } from 'preact/hooks';
import { failureOf, useAction } from '../account/use-action.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { FileButton } from '../components/file-button.js';
import { insertBlock, replaceText } from './tools.js';

type Upload = { id: number; name: string; share: number; failure?: string };

/** Uploads images into a text. A mark in the text holds the place of each until its address is known. */
export function useImages(view: { current: EditorView | undefined }) {
  const texts = useTexts();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const update = (id: number, change: Partial<Upload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)));

  const add = (files: File[], at: number): void => {
    for (const file of [...files].reverse()) void upload(file, at);
  };
  const upload = async (file: File, at: number): Promise<void> => {
    const id = Math.random();
    const name = file.name.replace(/\.\w+$/, '').replace(/[^\p{L}\p{N} _-]/gu, '');
    const mark = `![${texts.editor.uploading} ${name}](#${id})`;
    setUploads((all) => [...all.filter(({ failure }) => failure === undefined), { id, name: file.name, share: 0 }]);
    insertBlock(view.current!, at, mark);
    const failed = (failure: string): void => {
      replaceText(view.current!, mark, '');
      update(id, { failure });
    };
    try {
      const onProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }): void =>
        update(id, { share: sentBytes / totalBytes });
      const { data, error, response } = await api.upload(file, { onProgress });
      if (data === undefined) return failed(failureOf(error, response, texts).text);
      replaceText(view.current!, mark, `![${name}](${data.url})`);
      setUploads((all) => all.filter((one) => one.id !== id));
    } catch {
      failed(texts.offline);
    }
  };
  return { uploads, add };
}

/** The progress of uploads, and which failed. */
export function Uploads({ uploads }: { uploads: Upload[] }) {
  return (
    <ul class="uploads" role="status">
      {uploads.map(({ id, name, share, failure }) => (
        <li key={id}>
          <span dir="auto">{name}</span>
          {failure === undefined ? (
            <progress value={share} aria-label={name} />
          ) : (
            <span class="failure">{failure}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The image of the card of a post. */
export function ThumbnailField({ url, onChange }: { url: string | null; onChange: (url: string | null) => void }) {
  const texts = useTexts().editor;
  const { run, isBusy, failure } = useAction();
  const upload = ([file]: File[]): void =>
    void (
      file &&
      run(
        () => api.upload(file),
        (media) => onChange(media!.url),
      )
    );
  return (
    <div class="field">
      <span>{texts.thumbnail}</span>
      {url !== null && <img class="thumbnail" src={url} alt={texts.thumbnail} />}
      <div class="actions">
        <FileButton label={isBusy ? texts.uploading : texts.chooseThumbnail} onFiles={upload} />
        {url !== null && (
          <button type="button" class="tool" onClick={() => onChange(null)}>
            {texts.removeThumbnail}
          </button>
        )}
      </div>
      <span class="hint failure" role="alert">
        {failure?.text}
      </span>
    </div>
  );
}
