<?php
// WordPress as Debian unpacks it, with the settings of one test site from the environment.
define('DB_NAME', 'shop');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('SHOP_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define("{$name}_KEY", "key of {$name}");
    define("{$name}_SALT", "salt of {$name}");
}
if (getenv('SHOP_NETWORK') === 'yes') {
    define('MULTISITE', true);
    define('SUBDOMAIN_INSTALL', false);
    define('DOMAIN_CURRENT_SITE', parse_url(getenv('SHOP_URL'), PHP_URL_HOST));
    define('PATH_CURRENT_SITE', '/');
    define('SITE_ID_CURRENT_SITE', 1);
    define('BLOG_ID_CURRENT_SITE', 1);
}
// Not WP_HOME: a site that moves changes its option.
define('WP_SITEURL', getenv('SHOP_URL'));
define('WP_CONTENT_DIR', getenv('SHOP_CONTENT'));
// Nothing leaves this machine: no update checks.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISABLE_WP_CRON', true);
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', WP_CONTENT_DIR . '/debug.log');
require_once ABSPATH . 'wp-settings.php';
