import { useEffect, useRef } from 'preact/hooks';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { type Result, useAction } from './use-action.js';

/**
 * Signs in with a passkey, which counts as both factors. While it is shown, browsers offer passkeys in the list of the field with
 * `autocomplete="webauthn"`, too.
 */
export function PasskeyButton({ done }: { done: () => void }) {
  const { passkey, noPasskey } = useTexts().signIn;
  const { run, isBusy, failure } = useAction();
  const offer = useRef(new AbortController());
  const notUsed = (): Result<unknown> => ({ error: { detail: noPasskey }, response: Response.error() });
  useEffect(() => {
    void offerPasskeys(offer.current.signal).then(
      (body) => body && run(() => api.POST('/v1/auth/passkeys/login', { body }), done),
      ignore,
    );
    return () => offer.current.abort();
  }, []);
  const signIn = async (): Promise<Result<unknown>> => {
    // A browser runs one request for passkeys at a time.
    offer.current.abort();
    const options = await requestOptions();
    if (options.data === undefined) return options;
    const body = await passkeyFor({ publicKey: options.data }).catch(ignore);
    return body === undefined ? notUsed() : api.POST('/v1/auth/passkeys/login', { body });
  };
  // Browsers have passkeys in secure contexts only.
  if (!('PublicKeyCredential' in globalThis)) return null;
  return (
    <>
      <button type="button" class="way" aria-disabled={isBusy} onClick={() => void run(signIn, done)}>
        {passkey}
      </button>
      <p role="alert" class="failure">
        {failure?.text}
      </p>
    </>
  );
}

const ignore = (): undefined => undefined;

async function requestOptions() {
  const { data, ...result } = await api.POST('/v1/auth/passkeys/login/options');
  return { ...result, data: data && PublicKeyCredential.parseRequestOptionsFromJSON(data) };
}

async function offerPasskeys(signal: AbortSignal) {
  if ((await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.()) !== true) return undefined;
  const { data: publicKey } = await requestOptions();
  return publicKey && passkeyFor({ publicKey, signal, mediation: 'conditional' });
}

/** @throws DOMException when the person declines, or has no passkey */
async function passkeyFor(options: CredentialRequestOptions) {
  const passkey = (await navigator.credentials.get(options)) as PublicKeyCredential;
  return passkey.toJSON() as never;
}
