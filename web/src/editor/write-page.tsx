import type { EditorView } from '@codemirror/view';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { OwnPage } from '../account/signed-in.js';
import { useLoaded } from '../account/use-loaded.js';
import { watchAccount } from '../client.js';
import { useTexts } from '../components/context.js';
import { Compare } from './compare.js';
import { DraftActions } from './draft-actions.js';
import { DraftSync } from './draft-sync.js';
import { Labels } from './labels.js';
import { MarkdownField } from './markdown-field.js';
import { FileButton } from '../components/file-button.js';
import { Uploads, useImages } from './images.js';
import { Preview } from './preview.js';
import { PublishForm } from './publishing.js';
import { type Tool, TOOLS } from './tools.js';

const TOOL_NAMES = Object.keys(TOOLS) as Tool[];
/** From this width on, the preview is beside the text. */
const WIDE = matchMedia('(min-width: 64rem)');

/** `/write`, `/write/<id>` of a draft, and `/write?post=<id>` for the draft that edits a post. */
export function WritePage() {
  const texts = useTexts().editor;
  return (
    <OwnPage title={location.pathname === '/write' ? texts.newTitle : texts.editTitle} isWide>
      <Draft />
    </OwnPage>
  );
}

function Draft() {
  const texts = useTexts();
  const id = location.pathname.split('/')[2] || undefined;
  const postId = new URLSearchParams(location.search).get('post') ?? undefined;
  const { data, wait } = useLoaded(() => DraftSync.open(texts, { ...(id && { id }), ...(postId && { postId }) }));
  return data === undefined ? wait : <Editor sync={data} />;
}

function Editor({ sync }: { sync: DraftSync }) {
  const texts = useTexts().editor;
  const [, update] = useReducer((count: number) => count + 1, 0);
  const isWide = useWide();
  const [isPreview, setPreview] = useState(false);
  const [collectionId, setCollection] = useState<string>();
  const view = useRef<EditorView | undefined>(undefined);
  const { uploads, add } = useImages(view);
  const { fields, errors, state, generation } = sync;

  useEffect(() => {
    sync.onChange = () => update(undefined);
    const flush = (): void => void sync.flush();
    addEventListener('online', flush);
    addEventListener('visibilitychange', flush);
    const unwatch = watchAccount((account) => account && flush());
    return () => {
      sync.onChange = () => undefined;
      removeEventListener('online', flush);
      removeEventListener('visibilitychange', flush);
      unwatch();
      flush();
    };
  }, [sync]);

  const isTextShown = isWide || !isPreview;
  return (
    <div class="writing">
      <div class="writing-bar">
        <SaveState sync={sync} />
        <PublishForm sync={sync} collectionId={collectionId} />
      </div>
      {state.kind === 'conflict' && (
        <Compare
          title={texts.conflict}
          hint={texts.conflictHint}
          texts={[
            {
              ...fields,
              label: texts.mine,
              action: texts.keepMine,
              choose: () => void sync.resolve(state.theirs, 'mine'),
            },
            {
              ...state.theirs,
              label: texts.theirs,
              action: texts.takeTheirs,
              choose: () => void sync.resolve(state.theirs, 'theirs'),
            },
          ]}
        />
      )}
      <Labels
        key={`labels ${generation}`}
        fields={fields}
        errors={errors}
        isEdit={sync.card?.postId != null}
        onChange={(some) => sync.change(some)}
      />
      <div class="tools">
        <div class="actions" role="group" aria-label={texts.tools} hidden={!isTextShown}>
          {TOOL_NAMES.map((name) => (
            <button
              key={name}
              type="button"
              class={`tool ${name}`}
              aria-label={texts.tool[name]}
              title={`${texts.tool[name]} (${keyLabel(TOOLS[name].key)})`}
              onClick={() => TOOLS[name].run(view.current!)}
            >
              {TOOLS[name].sign}
            </button>
          ))}
          <FileButton
            label={texts.image}
            sign="▧"
            onFiles={(files) => add(files, view.current!.state.selection.main.head)}
          />
        </div>
        {!isWide && (
          <button type="button" class="tool" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
            {texts.preview}
          </button>
        )}
      </div>
      <Uploads uploads={uploads} />
      <div class="panes">
        <div hidden={!isTextShown}>
          <MarkdownField
            key={generation}
            value={fields.content}
            label={texts.text}
            hint={texts.textHint}
            view={view}
            onChange={(content) => sync.change({ content })}
            onFiles={add}
          />
          {errors.content !== undefined && <p class="failure">{errors.content}</p>}
        </div>
        {(isWide || isPreview) && <Preview content={fields.content} type={fields.type} />}
      </div>
      {sync.card !== undefined && state.kind !== 'gone' && (
        <DraftActions sync={sync} card={sync.card} collectionId={collectionId} choose={setCollection} />
      )}
    </div>
  );
}

/** `Saved`, or what the author can do about it. */
function SaveState({ sync }: { sync: DraftSync }) {
  const texts = useTexts().editor;
  const { state } = sync;
  return (
    <div class="save-state">
      <p role="status" class={state.kind === 'saved' || state.kind === 'saving' ? 'small' : 'small unsaved'}>
        {state.kind === 'failed' ? texts.notSaved(state.text) : sync.isEmpty ? '' : texts.state[state.kind]}
      </p>
      {state.kind === 'gone' && (
        <button type="button" class="tool" onClick={() => void sync.saveAsNew()}>
          {texts.saveAsNew}
        </button>
      )}
    </div>
  );
}

function useWide(): boolean {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const change = (): void => setWide(WIDE.matches);
    WIDE.addEventListener('change', change);
    return () => WIDE.removeEventListener('change', change);
  }, []);
  return isWide;
}

function keyLabel(key: string): string {
  return key.replace('Mod', /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl').replaceAll('-', '+');
}
