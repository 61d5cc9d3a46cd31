import { useEffect, useState } from 'preact/hooks';
import { Done } from '../account/account-page.js';
import { Field, RequestForm } from '../account/request-form.js';
import { codeOf } from '../account/sign-in-form.js';
import { useLoaded } from '../account/use-loaded.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { PasswordField, proofOf } from './parts.js';

type Totp = Schemas['Totp'];
type Codes = Schemas['RecoveryCodes'];

export function SecondFactor() {
  const texts = useTexts().settings.secondFactor;
  const { data, wait, reload } = useLoaded(() => unwrap(api.GET('/v1/auth/totp', {})));
  const [totp, setTotp] = useState<Totp>();
  const [codes, setCodes] = useState<string[]>();
  if (data === undefined) return wait;
  const changed = (given?: Codes): void => {
    setTotp(undefined);
    setCodes(given?.recoveryCodes);
    reload();
  };
  const bodyOf = ({ code = '', ...values }: Record<string, string>) => ({ ...codeOf(code), ...proofOf(values) });
  const proof = (
    <>
      <PasswordField />
      <Field name="code" label={texts.proof} autocomplete="one-time-code" maxLength={64} />
    </>
  );
  return (
    <>
      <p>{data.isEnabled ? texts.on : texts.off}</p>
      {data.isEnabled && <p>{texts.codesLeft(data.recoveryCodesLeft)}</p>}
      {codes !== undefined && <RecoveryCodes codes={codes} />}
      {!data.isEnabled && totp === undefined && (
        <RequestForm
          key="start"
          action={texts.start}
          send={(values) => api.POST('/v1/auth/totp', { body: proofOf(values) })}
          done={setTotp}
        >
          <PasswordField />
        </RequestForm>
      )}
      {!data.isEnabled && totp !== undefined && <Confirmation totp={totp} done={changed} />}
      {data.isEnabled && (
        <>
          <h3>{texts.renew}</h3>
          <RequestForm
            key={codes?.[0]}
            action={texts.renew}
            send={(values) => api.POST('/v1/auth/totp/recovery-codes', { body: bodyOf(values) })}
            done={changed}
          >
            <p>{texts.renewHint}</p>
            {proof}
          </RequestForm>
          <h3>{texts.disable}</h3>
          <RequestForm
            action={texts.disable}
            send={(values) => api.DELETE('/v1/auth/totp', { body: bodyOf(values) })}
            done={() => changed()}
          >
            {proof}
          </RequestForm>
        </>
      )}
    </>
  );
}

function Confirmation({ totp, done }: { totp: Totp; done: (codes: Codes | undefined) => void }) {
  const texts = useTexts().settings.secondFactor;
  return (
    <>
      <p>
        {texts.scan} <a href={totp.otpauthUrl}>{texts.open}</a>
      </p>
      <QrCode text={totp.otpauthUrl} label={texts.qr} />
      <p>
        {texts.secret} <code class="secret">{totp.secret.match(/.{4}/g)!.join(' ')}</code>
      </p>
      <RequestForm
        key="confirm"
        action={texts.confirm}
        send={({ code = '' }) => api.PUT('/v1/auth/totp', { body: { code } })}
        done={done}
      >
        <Field name="code" label={texts.code} autocomplete="one-time-code" maxLength={7} isFocused />
      </RequestForm>
    </>
  );
}

/** Loads the encoder on demand. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [rows, setRows] = useState<boolean[][]>([]);
  useEffect(() => {
    // Without it, the secret is there as text.
    void import('uqr').then(
      ({ encode }) => setRows(encode(text, { border: 4 }).data),
      () => undefined,
    );
  }, [text]);
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={squares.join('')} />
    </svg>
  );
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  const texts = useTexts().settings.secondFactor;
  return (
    <Done key={codes[0]}>
      <h3>{texts.codes}</h3>
      <p>{texts.codesHint}</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Done>
  );
}
