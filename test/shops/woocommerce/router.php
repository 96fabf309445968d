<?php
// For PHP's own server: the content of the site lies outside the unpacked WordPress.
$path = rawurldecode((string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$root = $_SERVER['DOCUMENT_ROOT'];
if (strpos($path, '..') !== false) {
    http_response_code(400);
    return true;
}
$isContent = strpos($path, '/wp-content/') === 0;
$file = $isContent ? getenv('SHOP_CONTENT') . substr($path, strlen('/wp-content')) : $root . $path;
if (is_dir($file)) {
    $path = rtrim($path, '/') . '/index.php';
    $file = rtrim($file, '/') . '/index.php';
}
if (is_file($file) && substr($file, -4) !== '.php') {
    $types = ['js' => 'text/javascript', 'css' => 'text/css', 'svg' => 'image/svg+xml', 'png' => 'image/png'];
    header('Content-Type: ' . ($types[pathinfo($file, PATHINFO_EXTENSION)] ?? 'application/octet-stream'));
    readfile($file);
    return true;
}
$script = is_file($file) ? $path : '/index.php';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $script;
$_SERVER['SCRIPT_FILENAME'] = $isContent ? $file : $root . $script;
chdir(dirname($_SERVER['SCRIPT_FILENAME']));
require $_SERVER['SCRIPT_FILENAME'];
