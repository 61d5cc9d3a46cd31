import { StartupError } from '../common/errors.js';
import type { Env } from './env.schema.js';

/** The site of the passkeys: `id` is their domain, which can never change. */
export type PasskeySite = { id: string; origins: string[] };

/** @throws StartupError for an origin outside of the domain, where no browser would use a passkey */
export function passkeySiteOf(env: Env, siteUrl = 'http://localhost:3000'): PasskeySite {
  const site = new URL(siteUrl).origin;
  const origins = env.AUTH_PASSKEY_ORIGINS.length > 0 ? env.AUTH_PASSKEY_ORIGINS : [site];
  const hosts = origins.map((origin) => new URL(origin).hostname);
  const id = env.AUTH_PASSKEY_RP_ID ?? hosts[0]!;
  const outside = hosts.find((host) => host !== id && !host.endsWith(`.${id}`));
  if (outside !== undefined)
    throw new StartupError(`AUTH_PASSKEY_RP_ID ${id} is not the domain of ${outside} in AUTH_PASSKEY_ORIGINS.`);
  return { id, origins };
}
