import { useEffect, useState } from 'preact/hooks';
import { failureOf } from '../account/use-action.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { Prose } from './prose.js';

const RENDER_AFTER_MS = 600;

/** The text as the post will look, rendered by the server after each pause. */
export function Preview({ content, type }: { content: string; type: string | null }) {
  const texts = useTexts();
  const [html, setHtml] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const isEmpty = content.trim() === '';

  useEffect(() => {
    if (isEmpty) return setHtml(undefined);
    const { signal, abort } = abortable();
    const render = async (): Promise<void> => {
      try {
        const { data, error, response } = await api.POST('/v1/render', { body: { content }, signal });
        if (signal.aborted) return;
        if (data !== undefined) setHtml(data.html);
        setFailure(data === undefined ? failureOf(error, response, texts).text : undefined);
      } catch {
        if (!signal.aborted) setFailure(texts.offline);
      }
    };
    const timer = setTimeout(() => void render(), html === undefined ? 0 : RENDER_AFTER_MS);
    return () => {
      clearTimeout(timer);
      abort();
    };
  }, [content]);

  return (
    <section class="preview-pane" aria-label={texts.editor.preview}>
      {failure !== undefined && <p class="failure small">{failure}</p>}
      {html === undefined ? <p class="empty">{texts.editor.emptyPreview}</p> : <Prose html={html} type={type} />}
    </section>
  );
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
