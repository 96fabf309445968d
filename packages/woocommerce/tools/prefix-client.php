<?php
// Gives the client of tilld a namespace of the plugin's own, in a folder with a built plugin: another plugin may bring an older
// copy, and PHP takes whichever is loaded first. Requests go by the HTTP API of WordPress, so that curl is not in it at all.
//
//   prefix-client.php DIRECTORY

declare(strict_types=1);

const CLIENT = 'vendor/Tilld.php';
const OWN = 'Tilld\\WooCommerce';
const VENDOR = 'Tilld\\WooCommerce\\Vendor';
const GUARD = "\n\ndefined('ABSPATH') || exit;";

/** Names of the client as the plugin's own files write them, `Tilld\X` and `\Tilld\X`, but for names of the plugin. */
function prefixedName(string $name): string
{
    $plain = ltrim($name, '\\');
    $isClient = strpos($plain, 'Tilld\\') === 0 && strpos("{$plain}\\", OWN . '\\') !== 0;
    return $isClient ? str_replace($plain, VENDOR . substr($plain, strlen('Tilld')), $name) : $name;
}

function prefixFile(string $code): string
{
    return implode('', array_map(static function (PhpToken $token): string {
        return in_array($token->id, [T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED], true) ? prefixedName($token->text) : $token->text;
    }, PhpToken::tokenize($code)));
}

/** The end of a block that begins at or after a token. @param PhpToken[] $tokens */
function endOfBlock(array $tokens, int $at): int
{
    $depth = 0;
    do {
        $depth += $tokens[$at]->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]) ? 1 : ($tokens[$at]->is('}') ? -1 : 0);
        $hasBegun = ($hasBegun ?? false) || $depth > 0;
        $at++;
    } while (!$hasBegun || $depth > 0);
    return $at;
}

/** The client itself, without its transport by curl. */
function prefixClient(string $code): string
{
    $tokens = PhpToken::tokenize($code);
    $out = [];
    for ($at = 0; $at < count($tokens); $at++) {
        $out[] = $tokens[$at]->text;
        $next = $tokens[$at + 2] ?? null;
        if ($tokens[$at]->is(T_NAMESPACE)) {
            array_push($out, ' ', VENDOR, ';', GUARD);
            $at += 3;
        } elseif ($tokens[$at]->is(T_NEW) && $next !== null && $next->text === 'CurlTransport') {
            array_push($out, ' ', '\\' . OWN . '\\Transport');
            $at += 2;
        } elseif ($tokens[$at]->is(T_CLASS) && $next !== null && $next->text === 'CurlTransport') {
            // With its comment and `final`, which stand before it.
            while (!preg_match('/^}\s*$/D', (string) end($out))) {
                array_pop($out);
            }
            $at = endOfBlock($tokens, $at) - 1;
        }
    }
    return implode('', $out);
}

$directory = $argv[1];
$client = prefixClient(file_get_contents("{$directory}/" . CLIENT));
if (stripos($client, 'curl_') !== false || strpos($client, 'namespace ' . VENDOR . ';') === false) {
    fwrite(STDERR, "the client has changed its form: it is not prefixed, or still has curl in it\n");
    exit(1);
}
file_put_contents("{$directory}/" . CLIENT, $client);
foreach (array_merge(glob("{$directory}/*.php"), glob("{$directory}/src/*.php")) as $file) {
    file_put_contents($file, prefixFile(file_get_contents($file)));
}
