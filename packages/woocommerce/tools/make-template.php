<?php
// Writes the template of translations (.pot) of a plugin on standard output: every text in its sources, with the files that have
// it and the comments for translators.
//
//   make-template.php DIRECTORY

declare(strict_types=1);

const FUNCTIONS = ['__', '_e', 'esc_html__', 'esc_html_e', 'esc_attr__', 'esc_attr_e'];

/** @return array<int, array{text: string, comment: string}> the texts of a file, in their order */
function textsIn(string $code): array
{
    $tokens = array_values(array_filter(PhpToken::tokenize($code), static function (PhpToken $token): bool {
        return !$token->is(T_WHITESPACE);
    }));
    $found = [];
    $comment = ['line' => 0, 'text' => ''];
    foreach ($tokens as $at => $token) {
        if ($token->is([T_COMMENT, T_DOC_COMMENT]) && strpos($token->text, 'translators:') !== false) {
            $comment = ['line' => $token->line + substr_count($token->text, "\n"), 'text' => trim($token->text, "/* \n")];
        }
        $isCall = $token->is(T_STRING) && in_array($token->text, FUNCTIONS, true) && ($tokens[$at + 1]->text ?? '') === '(';
        if ($isCall && $tokens[$at + 2]->is(T_CONSTANT_ENCAPSED_STRING)) {
            $isNear = $token->line - $comment['line'] <= 2;
            $found[] = ['text' => stripcslashes(substr($tokens[$at + 2]->text, 1, -1)), 'comment' => $isNear ? $comment['text'] : ''];
        }
    }
    return $found;
}

$directory = rtrim($argv[1], '/');
$main = file_get_contents("{$directory}/tilld-for-woocommerce.php");
preg_match('/^ \* Version: (.+)$/m', $main, $version);
preg_match('/^ \* Description: (.+)$/m', $main, $description);
$entries = [$description[1] => ['files' => ['tilld-for-woocommerce.php'], 'comment' => 'translators: description of the plugin']];
foreach (array_merge(["{$directory}/tilld-for-woocommerce.php"], glob("{$directory}/src/*.php")) as $file) {
    foreach (textsIn(file_get_contents($file)) as ['text' => $text, 'comment' => $comment]) {
        $entry = $entries[$text] ?? ['files' => [], 'comment' => ''];
        $entries[$text] = [
            'files' => array_unique(array_merge($entry['files'], [substr($file, strlen($directory) + 1)])),
            'comment' => $entry['comment'] === '' ? $comment : $entry['comment'],
        ];
    }
}
$quoted = static function (string $text): string {
    return json_encode($text, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
};
$headers = ["Project-Id-Version: tilld for WooCommerce {$version[1]}", 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=UTF-8', 'Content-Transfer-Encoding: 8bit', 'X-Domain: tilld-for-woocommerce'];
echo "msgid \"\"\nmsgstr \"\"\n";
foreach ($headers as $header) {
    echo $quoted("{$header}\n"), "\n";
}
foreach ($entries as $text => ['files' => $files, 'comment' => $comment]) {
    echo "\n", $comment === '' ? '' : "#. {$comment}\n", '#: ', implode(' ', $files), "\n";
    echo preg_match('/%(\d\$)?[sd]/', (string) $text) === 1 ? "#, php-format\n" : '';
    echo 'msgid ', $quoted((string) $text), "\nmsgstr \"\"\n";
}
