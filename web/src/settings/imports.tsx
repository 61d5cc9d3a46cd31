import { useState } from 'preact/hooks';
import { formOf } from '../../../sdk/src/client.js';
import { unwrap } from '../../../sdk/src/problem.js';
import { withProgress } from '../../../sdk/src/progress.js';
import type { components } from '../../../sdk/src/schema.js';
import { Action } from '../account/action.js';
import { Field, RequestForm } from '../account/request-form.js';
import { type List, Rows, useRows } from '../account/rows.js';
import { useAction } from '../account/use-action.js';
import { useReload } from '../account/use-loaded.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { FileButton } from '../components/file-button.js';
import { Moment } from '../components/time.js';

type Import = components['schemas']['Import'];

const RUNNING: Import['state'][] = ['storing', 'waiting', 'reading', 'publishing'];
const FINISHED: Import['state'][] = ['ready', 'published'];

/** Archives of other platforms, pages and feeds, whose posts become drafts. */
export function Imports() {
  const texts = useTexts().settings.imports;
  const list = useRows(() => unwrap(api.GET('/v1/users/me/imports', {})));
  return (
    <>
      <p>{texts.hint}</p>
      <p>{texts.notTaken}</p>
      <Upload done={list.add} />
      <ByAddress done={list.add} />
      <Rows list={list} empty={texts.empty}>
        {(row) => <ImportRow key={row.id} row={row} list={list} />}
      </Rows>
    </>
  );
}

function Upload({ done }: { done: (row: Import) => void }) {
  const texts = useTexts().settings.imports;
  const { run, isBusy, failure } = useAction();
  const [share, setShare] = useState(0);
  const send = (file: File) =>
    api.POST('/v1/users/me/imports', {
      body: { file },
      bodySerializer: formOf,
      fetch: withProgress(fetch, ({ sentBytes, totalBytes }) => setShare(sentBytes / totalBytes)),
    });
  const upload = ([file]: File[]): void => {
    if (file === undefined) return;
    setShare(0);
    void run(
      () => send(file),
      (row) => done(row!),
    );
  };
  return (
    <div class="field">
      {isBusy ? (
        <p role="status">
          {texts.uploading} <progress value={share} aria-label={texts.uploading} />
        </p>
      ) : (
        <FileButton label={texts.choose} accept="" onFiles={upload} />
      )}
      <p role="alert" class="failure">
        {failure?.text}
      </p>
    </div>
  );
}

function ByAddress({ done }: { done: (row: Import) => void }) {
  const texts = useTexts().settings.imports;
  const [times, setTimes] = useState(0);
  const added = (row: Import | undefined): void => {
    done(row!);
    setTimes(times + 1);
  };
  return (
    <RequestForm
      key={times}
      action={texts.read}
      send={({ address = '' }) => api.POST('/v1/users/me/imports/address', { body: { address: asciiUrl(address) } })}
      done={added}
    >
      <Field
        name="address"
        type="url"
        label={texts.address}
        hint={texts.addressHint}
        autocomplete="off"
        maxLength={2_048}
      />
    </RequestForm>
  );
}

/** A copied address may have letters that only browsers accept. */
function asciiUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** Reads itself again while the server works on it. */
function ImportRow({ row, list }: { row: Import; list: List<Import> }) {
  const { settings } = useTexts();
  const texts = settings.imports;
  const { id, state, address, format, failure, counts, createdAt } = row;
  const at = { params: { path: { id } } };
  const reload = (): void => void unwrap(api.GET('/v1/users/me/imports/{id}', at)).then(list.replace, () => undefined);
  useReload(reload, RUNNING.includes(state), JSON.stringify([state, counts]));
  const name = texts.formats[format ?? ''] ?? texts.archive;
  return (
    <li>
      <div>
        {name} <span class="mark">{texts.states[state]}</span>
        <br />
        {address !== null && <bdi>{address}</bdi>}
        <span class="small">
          <Moment at={createdAt} /> · {texts.counts(counts)}
        </span>
        {failure !== null && <p class="failure">{texts.failures[failure] ?? failure}</p>}
        <Problems of={row} />
      </div>
      <div class="actions">
        {FINISHED.includes(state) && counts.drafts > counts.published && (
          <>
            <a class="tool" href="/drafts">
              {texts.drafts}
            </a>
            <Action
              label={texts.publish}
              of={name}
              confirm={texts.confirmPublish}
              send={() => api.POST('/v1/users/me/imports/{id}/publish', at)}
              done={(now) => list.replace(now!)}
            />
          </>
        )}
        <Action
          label={settings.remove}
          of={name}
          confirm={texts.confirmRemove}
          send={() => api.DELETE('/v1/users/me/imports/{id}', at)}
          done={() => list.remove(id)}
        />
      </div>
    </li>
  );
}

function Problems({ of: { problems, counts } }: { of: Import }) {
  const texts = useTexts().settings.imports;
  if (problems.length === 0) return null;
  return (
    <details>
      <summary>{texts.problems(counts.problems, problems.length)}</summary>
      <ul class="small">
        {problems.map(({ entry, detail }, at) => (
          <li key={at} dir="auto">
            <code>{entry}</code>: {detail}
          </li>
        ))}
      </ul>
    </details>
  );
}
