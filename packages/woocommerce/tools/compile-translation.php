<?php
// Compiles a translation (.po) into the form that WordPress reads (.mo of gettext), on standard output. Where a text is not
// translated, or its placeholders are not the same, it fails.

declare(strict_types=1);

$texts = [];
$key = null;
foreach (file($argv[1], FILE_IGNORE_NEW_LINES) as $number => $line) {
    if (preg_match('/^(msgid|msgstr)? ?("(?:[^"\\\\]|\\\\.)*")$/', $line, $parts) !== 1) {
        if ($line !== '' && $line[0] !== '#') {
            fwrite(STDERR, "{$argv[1]}:" . ($number + 1) . ": not understood\n");
            exit(1);
        }
        continue;
    }
    $text = json_decode($parts[2], false, 2, JSON_THROW_ON_ERROR);
    if ($parts[1] === 'msgid') {
        $key = $text;
    } elseif ($parts[1] === 'msgstr') {
        $texts[$key] = $text;
    } elseif (array_key_exists($key, $texts)) {
        $texts[$key] .= $text;
    } else {
        $key .= $text;
    }
}
ksort($texts, SORT_STRING);
foreach ($texts as $original => $translated) {
    preg_match_all('/%(?:\d\$)?[sd]/', (string) $original, $wanted);
    preg_match_all('/%(?:\d\$)?[sd]/', $translated, $given);
    sort($wanted[0]);
    sort($given[0]);
    if ($translated === '' || ($original !== '' && $wanted[0] !== $given[0])) {
        fwrite(STDERR, "{$argv[1]}: not translated, or with other placeholders: {$original}\n");
        exit(1);
    }
}

$count = count($texts);
$header = 28;
$at = $header + 16 * $count;
$table = '';
$strings = '';
foreach ([array_map('strval', array_keys($texts)), array_values($texts)] as $column) {
    foreach ($column as $text) {
        $table .= pack('VV', strlen($text), $at + strlen($strings));
        $strings .= "{$text}\0";
    }
}
echo pack('V7', 0x950412de, 0, $count, $header, $header + 8 * $count, 0, $at), $table, $strings;
