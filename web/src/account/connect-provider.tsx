import { useEffect } from 'preact/hooks';
import { account, api } from '../client.js';
import { useTexts } from '../components/context.js';
import { type Arrival, labelOf, Refusal, returnAddress } from './providers.js';
import { Field, RequestForm } from './request-form.js';
import { useAction } from './use-action.js';

/** Adds a provider to the signed-in account, then leads to `to`. */
export function ConnectProvider({ provider, to, code, error }: Arrival & { provider: string }) {
  const { account: fields, signIn: texts } = useTexts();
  const { run, failure } = useAction();
  const params = { path: { provider } };
  useEffect(() => {
    const add = () => api.PUT('/v1/auth/identities/{provider}', { params, body: { code: code! } });
    if (code != null) void run(add, () => location.replace(to));
  }, []);
  if (code != null && failure === undefined) return <p role="status">…</p>;
  const begin = ({ password }: Record<string, string>) => {
    const body = { returnTo: returnAddress(to, provider), ...(password !== undefined && { password }) };
    return api.POST('/v1/auth/identities/{provider}', { params, body });
  };
  return (
    <>
      {error != null && <Refusal reason={error} />}
      {failure !== undefined && <p role="alert">{failure.text}</p>}
      <RequestForm action={texts.connect(labelOf(provider))} send={begin} done={(begun) => location.assign(begun!.url)}>
        <p>{texts.connectHint}</p>
        {account?.hasPassword === true && (
          <Field
            name="password"
            label={fields.password}
            type="password"
            autocomplete="current-password"
            maxLength={512}
          />
        )}
      </RequestForm>
      <p>
        <a href={to}>{texts.back}</a>
      </p>
    </>
  );
}
