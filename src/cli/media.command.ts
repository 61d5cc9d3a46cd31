import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `media audit`: compares images with their files and their references. */
export function mediaCommand(): Command {
  const audit = new Command('audit')
    .description('compare every image with its files and references; exit code 1 if they differ')
    .action(runAudit);
  return new Command('media').description('images and their files').addCommand(audit, { isDefault: true });
}

async function runAudit(): Promise<void> {
  const { MediaAuditService } = await import('../media/media-audit.service.js');
  await withServices(async (app, signal) => {
    const { images, files, faults } = await app.get(MediaAuditService).run((line) => console.log(line), signal);
    console.log(`${faults} faults in ${images} images and ${files} files.`);
    if (faults > 0) process.exitCode = 1;
  });
}
