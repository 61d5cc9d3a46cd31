import type { WebAuthnCredential } from '@simplewebauthn/server';
import type { PasskeySite } from '../../config/passkey-site.js';
import type { AddPasskeyBody, PasskeyLoginBody } from './dto/passkey.dto.js';

/** COSE numbers of the accepted signatures: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257];
const NO_EXTENSIONS = { clientExtensionResults: {} };

/** Loads on demand: the library has 250 files, a seventh of those read at the start, and most processes see no passkey. */
const loadWebAuthn = () => import('@simplewebauthn/server');

/** Returns the challenge that a browser claims to have signed; the signature check verifies the claim. Empty if there is none. */
export function challengeOf(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** Returns the passkey of a registration, or null if the registration is invalid. */
export async function checkRegistration(
  { id, rawId, response }: AddPasskeyBody,
  site: PasskeySite,
): Promise<WebAuthnCredential | null> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const { clientDataJSON, attestationObject, transports } = response;
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type: 'public-key',
        response: { clientDataJSON, attestationObject, transports },
        ...NO_EXTENSIONS,
      },
      expectedChallenge: challengeOf(clientDataJSON),
      expectedOrigin: site.origins,
      expectedRPID: site.id,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo?.credential ?? null;
  } catch {
    // The client sent invalid input.
    return null;
  }
}

/** Returns the counter of a valid signature of the passkey, or null if the response is invalid. */
export async function checkAssertion(
  { id, rawId, response }: PasskeyLoginBody,
  credential: WebAuthnCredential,
  site: PasskeySite,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const { clientDataJSON, authenticatorData, signature } = response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        ...NO_EXTENSIONS,
      },
      expectedChallenge: challengeOf(clientDataJSON),
      expectedOrigin: site.origins,
      expectedRPID: site.id,
      credential,
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // The client sent invalid input, or the counter decreased.
    return null;
  }
}
