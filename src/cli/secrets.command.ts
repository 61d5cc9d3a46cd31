import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `secrets reseal` is the last step before a key is removed from AUTH_ENCRYPTION_KEYS. */
export function secretsCommand(): Command {
  const reseal = new Command('reseal')
    .description('re-encrypt the secrets of second factors and webhooks with the first of AUTH_ENCRYPTION_KEYS')
    .action(reencryptSecrets);
  return new Command('secrets').description('re-encrypt stored secrets').addCommand(reseal);
}

async function reencryptSecrets(): Promise<void> {
  const { ProofCheck } = await import('../auth/second-factors/proof-check.js');
  const { WebhooksService } = await import('../webhooks/webhooks.service.js');
  await withServices(async (app) => {
    const parts = [await app.get(ProofCheck).reencryptAll(), await app.get(WebhooksService).reencryptAll()];
    const lost = parts.flatMap((part) => part.lost);
    console.log(`${parts.reduce((sum, { reencrypted }) => sum + reencrypted, 0)} secrets re-encrypted.`);
    if (lost.length === 0) return;
    console.error(`${lost.length} use a key that is not configured; accounts: ${lost.join(', ')}.`);
    process.exitCode = 1;
  });
}
