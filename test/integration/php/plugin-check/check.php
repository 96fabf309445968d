<?php
/**
 * The rules of WordPress.org's Plugin Check that matter to this plugin, by PHP's own tokens: neither that plugin nor the coding
 * standards that it runs are in a package registry. Rules have the names that they have there. Prints what breaks one,
 * "file:line rule what".
 *
 *   check.php DIRECTORY          a built plugin; its folder's name is the slug
 *   check.php --file FILE SLUG   one file
 */

declare(strict_types=1);

namespace PluginCheck;

foreach (['source', 'output', 'names', 'package'] as $part) {
    require_once __DIR__ . "/{$part}.php";
}

/** Nothing may happen where a file is called by its address, and not by WordPress. */
function guard(Source $source): array
{
    $text = implode('', array_column($source->tokens, 'text'));
    $isGuarded = preg_match("/^<\?php\s*(declare\(strict_types=1\);)?(namespace[\w\\\\]+;)?(use[\w\\\\]+;)*defined\('(ABSPATH|WP_UNINSTALL_PLUGIN)'\)\|\|exit;/", $text) === 1;
    return $isGuarded ? [] : [[1, 'missing_direct_file_access_protection', "does not begin with defined('ABSPATH') || exit;"]];
}

/** @return array<int, array{int, string, string}> line, rule and what is wrong */
function checkFile(string $code, string $slug, bool $isVendor): array
{
    $source = new Source($code);
    // Plugin Check itself leaves folders named vendor out of its sniffs.
    $problems = $isVendor
        ? array_merge(Names::functions($source), Names::declared($source))
        : array_merge(Output::check($source), Names::check($source, $slug));
    $left = $source->unexcused(array_merge(guard($source), $problems));
    usort($left, static function (array $one, array $other): int {
        return $one[0] <=> $other[0];
    });
    return $left;
}

$isOne = $argv[1] === '--file';
$directory = rtrim($argv[$isOne ? 2 : 1], '/');
$slug = $isOne ? $argv[3] : basename($directory);
$files = $isOne ? [$directory] : array_merge(glob("{$directory}/*.php"), glob("{$directory}/*/*.php"));
foreach ($files as $file) {
    $name = $isOne ? basename($file) : substr($file, strlen($directory) + 1);
    foreach (checkFile((string) file_get_contents($file), $slug, strpos($name, 'vendor/') === 0) as [$line, $rule, $what]) {
        echo "{$name}:{$line} {$rule} {$what}\n";
    }
}
if (!$isOne) {
    foreach (Package::check($directory, $slug) as [$name, $what]) {
        echo "{$name}:1 {$what}\n";
    }
}
