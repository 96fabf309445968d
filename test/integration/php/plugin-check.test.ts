import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SLUG = 'tilld-for-woocommerce';
const CHECK = 'test/integration/php/plugin-check/check.php';
const START = "<?php declare(strict_types=1); namespace Tilld\\WooCommerce; defined('ABSPATH') || exit;\n";

const dir = mkdtempSync(join(tmpdir(), 'plugin-check-'));
const built = join(dir, SLUG);

beforeAll(() => {
  execFileSync(join('packages', 'woocommerce', 'build'), [dir]);
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

function check(...args: string[]): string[] {
  const printed = execFileSync('php', ['-d', 'display_errors=stderr', CHECK, ...args], { encoding: 'utf8' });
  return printed.split('\n').filter((line) => line !== '');
}

const namesThisMachine = (): string => `${START}const A = 'http://localhost/';`;

/** The rules that a piece of PHP breaks. */
function broken(code: string): string[] {
  const file = join(dir, 'piece.php');
  writeFileSync(file, code);
  return check('--file', file, SLUG).map((line) => line.split(' ')[1] ?? '');
}

const ESCAPE = 'WordPress.Security.EscapeOutput.OutputNotEscaped';
const THROWN = 'WordPress.Security.EscapeOutput.ExceptionNotEscaped';
const PREFIX = 'WordPress.NamingConventions.PrefixAllGlobals';
const SANITIZED = 'WordPress.Security.ValidatedSanitizedInput.InputNotSanitized';
const UNSLASHED = 'WordPress.Security.ValidatedSanitizedInput.MissingUnslash';

describe('the check for the rules of WordPress.org', () => {
  it('accepts the built plugin, in which every file is valid PHP', () => {
    const files = globSync(join(built, '**/*.php'));
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) execFileSync('php', ['-l', file]);
    expect(check(built)).toEqual([]);
  });

  it.each([
    ["echo '<p>' . $text . '</p>';", ESCAPE],
    ['echo "<p>{$text}</p>";', ESCAPE],
    ["echo esc_html($a) . ' ' . strtoupper($b);", ESCAPE],
    ["echo ($isOk ? $good : 'bad');", ESCAPE],
    ["echo sprintf('<b>%s</b>', $text);", ESCAPE],
    ['printf($text);', ESCAPE],
    ['wp_die($text);', ESCAPE],
    ['exit($text);', ESCAPE],
    ['throw new \\RuntimeException("no {$text}");', THROWN],
    [
      "echo sanitize_key(wp_unslash($_GET['a']));",
      ESCAPE,
      'WordPress.Security.NonceVerification.Recommended',
    ],
    ["$a = sanitize_key(wp_unslash($_POST['a']));", 'WordPress.Security.NonceVerification.Missing'],
    ["check_admin_referer('a'); $a = $_GET['a'];", SANITIZED, UNSLASHED],
    ["check_admin_referer('a'); $a = sanitize_key($_GET['a']);", UNSLASHED],
    ["$a = $_SERVER['HTTP_HOST'];", SANITIZED, UNSLASHED],
    ["curl_init('https://a.example');", 'WordPress.WP.AlternativeFunctions.curl_init'],
    ["$a = parse_url('https://a.example');", 'WordPress.WP.AlternativeFunctions.parse_url'],
    ["$a = file_get_contents('https://a.example');", 'WordPress.WP.AlternativeFunctions.file_get_contents'],
    ["$a = mb_strtolower('A') . mb_substr('A', 0, 1);", 'missing_extension'],
    ["eval('1;');", 'Generic.PHP.ForbiddenFunctions'],
    ['error_log($a);', 'WordPress.PHP.DevelopmentFunctions.error_log_error_log'],
    ["ini_set('a', 'b');", 'Squiz.PHP.DiscouragedFunctions'],
    ["$a = date('Y');", 'WordPress.DateTime.RestrictedFunctions.date'],
    ['$a = `ls`;', 'Generic.PHP', 'Generic.PHP'],
    ["do_action('paid', $a);", PREFIX],
    ["update_option('cursor', 1);", PREFIX],
    [
      "final class A { private const NAME = 'cursor'; function b() { update_option(self::NAME, 1); } }",
      PREFIX,
    ],
    ["set_transient('embed', 1);", PREFIX],
    ["define('GATEWAY', 1);", PREFIX],
    [
      "wp_enqueue_script('tilld-pay', 'https://a.example');",
      'WordPress.WP.EnqueuedResourceParameters.MissingVersion',
    ],
    ["wp_enqueue_script('pay', 'https://a.example', [], '1', true);", PREFIX],
    ["$a = __('Paid', 'woocommerce');", 'WordPress.WP.I18n.TextDomainMismatch'],
    [`$a = __($text, '${SLUG}');`, 'WordPress.WP.I18n.NonSingularStringLiteralText'],
    [`$a = sprintf(__('Paid: %s', '${SLUG}'), $b);`, 'WordPress.WP.I18n.MissingTranslatorsComment'],
    [
      `/* translators: amounts */\n$a = sprintf(__('%s of %s', '${SLUG}'), $b, $c);`,
      'WordPress.WP.I18n.UnorderedPlaceholdersText',
    ],
    [
      '$wpdb->query("DELETE FROM {$wpdb->options} WHERE a = {$b}");',
      'WordPress.DB.DirectDatabaseQuery',
      'WordPress.DB.PreparedSQL',
    ],
    [
      '// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- no other way\n$wpdb->get_var($wpdb->prepare($sql, $a));',
      'WordPress.DB.PreparedSQL',
    ],
    ['// phpcs:ignore WordPress.Security.EscapeOutput\necho $text;', 'ignore'],
  ])('rejects %s', (code, ...rules) => {
    expect(broken(START + code)).toEqual(rules);
  });

  it('rejects a file without an ABSPATH guard, and one outside the namespace of the plugin', () => {
    const guard = 'missing_direct_file_access_protection';
    expect(broken('<?php namespace Tilld\\WooCommerce; final class A {}')).toEqual([guard]);
    expect(broken("<?php namespace Tilld\\WooCommerce; a(); defined('ABSPATH') || exit;")).toEqual([guard]);
    expect(broken("<?php defined('ABSPATH') || exit; function pay() {}")).toEqual([PREFIX]);
    expect(broken("<?php namespace Tilld; defined('ABSPATH') || exit;")).toEqual([PREFIX]);
  });

  it.each([
    "echo '<p>' . esc_html($text) . '</p>', (int) $a;",
    "echo '<b>' . ($isOk ? 'ok' : esc_html($text)) . '</b>';",
    "wp_die(esc_html__('No.', 'tilld-for-woocommerce'), '', ['response' => 403]);",
    "check_admin_referer('a'); $a = isset($_GET['a']) ? sanitize_key(wp_unslash($_GET['a'])) : '';",
    "$a = isset($_SERVER['REQUEST_METHOD']);",
    "$a = ($_SERVER['REQUEST_METHOD'] ?? '') === 'POST';",
    '// It was escaped above.\n// phpcs:ignore WordPress.Security.EscapeOutput\necho $text;',
    "$body = file_get_contents('php://input');",
    "$object->date('Y'); $object->query($sql); Other::eval_date();",
    "update_option('tilld_cursor', 1); do_action('tilld_paid'); update_option($name, 1);",
    "/* translators: %s: amount */\n$a = sprintf(__('Paid: %s', 'tilld-for-woocommerce'), $b);",
    '// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- no other way\n$wpdb->query($wpdb->prepare("DELETE FROM {$wpdb->options} WHERE a = %s", $b));',
    '// phpcs:ignore WordPress.Security.EscapeOutput -- escaped above\necho $text;',
    "throw new \\RuntimeException('no answer'); throw $error;",
  ])('accepts %s', (code) => {
    expect(broken(START + code)).toEqual([]);
  });
});

describe('the plugin package', () => {
  /** What is wrong with a copy of the built plugin in which a file was changed. */
  function wrong(file: string, change: (text: string) => string): string[] {
    const copies = mkdtempSync(join(dir, 'copy-'));
    const copy = join(copies, SLUG);
    cpSync(built, copy, { recursive: true });
    const path = join(copy, file);
    writeFileSync(
      path,
      change(file === 'src/Amounts.php' || file.startsWith('.') ? '' : readFileSync(path, 'utf8')),
    );
    const found = check(copy);
    rmSync(copies, { recursive: true });
    return found;
  }
  const main = `${SLUG}.php`;

  it.each([
    [main, /Version: .*/, 'Version: 9.9.9', /Stable tag is not what the header Version says/],
    [main, 'Text Domain: tilld-for-woocommerce', 'Text Domain: tilld', /header Text Domain/],
    [main, 'Domain Path: /languages', 'Domain Path: /missing', /folder of Domain Path/],
    [main, /^ \* Author: .*\n/m, '', /header Author/],
    ['readme.txt', 'Contributors: tilld\n', '', /Contributors is missing/],
    ['readme.txt', /Tested up to: .*/, 'Tested up to: soon', /Tested up to is missing/],
    ['readme.txt', /License: .*/, 'License: none', /License is not what/],
    ['readme.txt', /Tags: .*/, 'Tags: a, b, c, d, e, f', /one to five tags/],
    ['readme.txt', '== External services ==', '== Services ==', /section External services/],
    ['readme.txt', /== Privacy ==[^=]*/, '== Privacy ==\n\n', /section Privacy/],
    ['readme.txt', '=== tilld for WooCommerce ===', '=== tilld ===', /name is not that of the plugin/],
    ['readme.txt', 'Accept Bitcoin', 'Accept Bitcoin '.repeat(12), /longer than 150/],
  ] as const)('is rejected when in %s the text %s is replaced by: %s', (file, before, after, problem) => {
    const found = wrong(file, (text) => {
      expect(text).toMatch(before);
      return text.replace(before, after);
    });
    expect(found).toContainEqual(expect.stringMatching(problem));
  });

  it('is rejected with a hidden file, and with a local path in a file', () => {
    expect(wrong('.htaccess', () => 'a')).toContainEqual(expect.stringMatching(/is no file for a plugin/));
    expect(wrong('src/Amounts.php', namesThisMachine)).toContainEqual(
      expect.stringMatching(/address of this machine/),
    );
  });
});

describe('the tilld client in the built plugin', () => {
  it('contains no curl call, and only names prefixed for the plugin', () => {
    const client = readFileSync(join(built, 'vendor/Tilld.php'), 'utf8');
    expect(client).not.toMatch(/curl_|CurlTransport/i);
    expect(client).toContain('namespace Tilld\\WooCommerce\\Vendor;');
    const sources = globSync(join(built, '{*,src/*}.php')).map((file) => readFileSync(file, 'utf8'));
    expect(sources.join('\n')).not.toMatch(/\buse Tilld\\(?!WooCommerce\\)/);
  });
});
