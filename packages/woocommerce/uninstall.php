<?php
/** The plugin is deleted: its data go from every site of the installation. Orders keep what belongs to them, unless the settings of their site say otherwise. */

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;
defined('WP_UNINSTALL_PLUGIN') || exit;

// WooCommerce may be switched off or deleted already: nothing here needs it.
require_once __DIR__ . '/tilld-for-woocommerce.php';

Sites::each([Removal::class, 'run']);
