import { checkBackups, checkSecrets, checkTls, type Finding } from './checks/files.ts';
import { checkMail } from './checks/mail.ts';
import { checkNodes } from './checks/nodes.ts';
import { parseCall, printLine, runCommand, toolConfig } from './command.ts';

const USAGE = `Checks what the settings need: nodes that respond and serve the right network, a mail server that accepts a test mail,
a folder for backups that can be written, secrets that only the service can read, and certificates that are valid.

  tillctl check-config [--mail-to ADDRESS | --no-mail] [--json] [--data-dir DIR]

The test mail goes to TILLD_OPERATOR_EMAIL, or to ADDRESS. Exit code 1 when a check fails; 2 when a setting is invalid.`;

const LABELS = { ok: 'ok      ', warning: 'WARNING ', failed: 'FAILED  ' } as const;

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({
    args,
    options: {
      'data-dir': { type: 'string' },
      'mail-to': { type: 'string' },
      'no-mail': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const config = toolConfig(values['data-dir']);
  const settings: Finding[] = [
    { check: 'settings', result: 'ok', detail: config.file },
    ...config.warnings.map((detail): Finding => ({ check: 'settings', result: 'warning', detail })),
  ];
  const to = values['mail-to'] ?? config.operatorEmail;
  const findings = [
    ...settings,
    ...(await checkNodes(config)),
    ...(await checkMail(config, values['no-mail'] ? null : to)),
    ...(await checkBackups(config)),
    ...checkSecrets(config),
    ...(await checkTls(config)),
  ];
  if (values.json) printLine(JSON.stringify(findings, null, 2));
  else for (const { check, result, detail } of findings) printLine(`${LABELS[result]} ${check}: ${detail}`);
  return findings.some(({ result }) => result === 'failed') ? 1 : 0;
});
