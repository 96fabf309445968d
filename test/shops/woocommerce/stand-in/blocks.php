<?php

declare(strict_types=1);

namespace Automattic\WooCommerce\Utilities {
    defined('ABSPATH') || exit;

    final class FeaturesUtil
    {
        public static $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $isCompatible = true): bool
        {
            self::$declared[$feature] = $isCompatible;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        public function get_name()
        {
            return $this->name;
        }

        abstract public function initialize();

        abstract public function is_active();

        abstract public function get_payment_method_script_handles();

        abstract public function get_payment_method_data();
    }
}

namespace Automattic\WooCommerce\Blocks\Payments {
    final class PaymentMethodRegistry
    {
        public $registered = [];

        public function register(Integrations\AbstractPaymentMethodType $method): bool
        {
            $this->registered[$method->get_name()] = $method;
            return true;
        }
    }
}
