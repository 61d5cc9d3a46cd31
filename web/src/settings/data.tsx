import { CheckField, RequestForm } from '../account/request-form.js';
import { useLoaded, useReload } from '../account/use-loaded.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { PasswordField, proofOf, useAccount } from './parts.js';

export function Exports() {
  const { exports: texts, until } = useTexts().settings;
  const { data, wait, reload } = useLoaded(() => unwrap(api.GET('/v1/users/me/exports', {})));
  const rows = data?.data ?? [];
  useReload(
    reload,
    rows.some(({ state }) => state === 'waiting'),
  );
  if (data === undefined) return wait;
  return (
    <>
      <p>{texts.hint}</p>
      {rows.length === 0 && <p class="empty">{texts.empty}</p>}
      <ul class="rows" aria-live="polite">
        {rows.map(({ id, state, url, createdAt, expiresAt }) => (
          <li key={id}>
            <p>
              <Moment at={createdAt} /> <span class="mark">{texts.states[state]}</span>
              <br />
              <span class="small">
                {until} <Moment at={expiresAt} />
              </span>
            </p>
            {url !== null && (
              <a class="tool" href={url} download>
                {texts.download}
              </a>
            )}
          </li>
        ))}
      </ul>
      <RequestForm action={texts.request} send={() => api.POST('/v1/users/me/exports', {})} done={reload} />
    </>
  );
}

export function Deletion() {
  const texts = useTexts().settings.deletion;
  const { deleted } = useAccount();
  return (
    <div class="danger">
      <p>{texts.what}</p>
      <p>{texts.rest}</p>
      <p>
        <a href="/settings/exports">{texts.exportFirst}</a>
      </p>
      <RequestForm
        action={texts.action}
        send={(values) => api.DELETE('/v1/users/me', { body: proofOf(values) })}
        done={deleted}
      >
        <PasswordField />
        <CheckField name="isSure" label={texts.confirm} />
      </RequestForm>
    </div>
  );
}
